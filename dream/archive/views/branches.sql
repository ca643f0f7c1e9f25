-- Paths through the trees of sessions. The session's own file knows its tree; a run archive is
-- asked only where there is no such file.
-- grain:  one row a branch
-- reads:  stored_branches, ranks, scan_facts, moved
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
    s.branch_id, s.session_id, s.active, s.length, s.fork_point, s.reason, s.summary, s.happened,
    s.line, s.source_file, coalesce(m.new_id, s.last) AS last
FROM seen AS s
LEFT JOIN moved AS m ON m.old_id = s.last
-- Of other copies of the file, what was given up in them; their tip lies on the way to ours.
WHERE s.own_file IS NULL OR s.rank = s.own_file OR (NOT s.active AND s.rank IN (
    SELECT rank FROM ranks WHERE NOT archived
))
QUALIFY row_number() OVER (PARTITION BY s.branch_id ORDER BY s.rank, s."row") = 1
