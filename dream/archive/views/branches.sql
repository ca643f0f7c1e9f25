-- Paths through the trees of sessions. The session's own file knows its tree; a run archive is
-- asked only where there is no such file.
-- grain:  one row a branch
-- reads:  stored_branches, ranks, scan_facts
-- params: none
-- into:   view branches
WITH seen AS (
    SELECT
        b.*, r.rank, f.source_file,
        min(r.rank) FILTER (WHERE NOT r.archived) OVER (PARTITION BY b.session_id) AS own_file
    FROM stored_branches AS b
    INNER JOIN ranks AS r ON r.scan = b.scan
    INNER JOIN scan_facts AS f ON f.scan = b.scan
    WHERE r.live
)

SELECT
    branch_id, session_id, active, length, fork_point, reason, summary, happened, line, source_file
FROM seen
-- Of other copies of the file, what was given up in them; their tip lies on the way to ours.
WHERE own_file IS NULL OR rank = own_file OR (NOT active AND rank IN (
    SELECT rank FROM ranks WHERE NOT archived
))
QUALIFY row_number() OVER (PARTITION BY branch_id ORDER BY rank, "row") = 1
