-- Every tool call recorded since a moment, each session's in the order the agent made them.
-- grain:  one row a tool call
-- reads:  calls, sessions
-- params: since (timestamp, UTC)
-- into:   RecordedCall
SELECT
    c.call_id, c.session_id, c.run_id, c.message_id,
    s.project_name AS project,
    s.project_key,
    c.tool, c.arguments,
    c.status = 'error' AS failed,
    c.happened,
    c.status IN ('refused', 'sibling') AS refused
FROM calls AS c
INNER JOIN sessions AS s ON s.session_id = c.session_id
WHERE c.happened IS NULL OR c.happened >= $since
ORDER BY c.session_id, c.number, c.place, c.call_id
