-- Moments at which sessions were kept beside the code that had come of them, each once.
-- grain:  one row a session of a checkpoint
-- reads:  stored_checkpoints, scan_facts, session_heads
-- params: none
-- into:   view checkpoints
SELECT
    c.checkpoint_id, s.session_id, c.number, c.happened, c.branch, c.kind, c.commit_id,
    c.moved_from, c.first_line, c.repository, f.place AS source_file
FROM stored_checkpoints AS c
INNER JOIN scan_facts AS f ON f.scan = c.scan
-- The checkpoint does not tell the agent for sure; of sub-agents' sessions the ids are longer.
INNER JOIN session_heads AS s
    ON substr(s.session_id, strpos(s.session_id, ':') + 1) = c.session
QUALIFY row_number() OVER (
    PARTITION BY c.checkpoint_id, s.session_id
    ORDER BY f.live DESC, c.repository = '', c.number DESC, f.source_file, c."row"
) = 1
