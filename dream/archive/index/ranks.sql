-- Readings in the order in which they are believed where several hold the same thing.
-- A session's own file comes before a run archive, which lacks the tree; then what is still at its
-- source; then the copy that goes furthest.
-- grain:  one row a reading
-- reads:  scan_facts, keys, stored_runs
-- params: none
-- into:   table ranks
WITH archives AS (
    SELECT DISTINCT f.file
    FROM stored_runs AS r
    INNER JOIN scan_facts AS f ON f.scan = r.scan
    WHERE starts_with(r.run_id, 'run2:')
),

reach AS (
    SELECT scan, max(happened) AS last, count(*) AS messages
    FROM keys
    GROUP BY scan
)

SELECT
    f.scan, f.live, f.gone, f.file,
    f.file IN (SELECT file FROM archives) AS archived,
    row_number() OVER (
        ORDER BY
            f.file IN (SELECT file FROM archives),
            NOT f.live,
            r.last DESC NULLS LAST,
            r.messages DESC NULLS LAST,
            f.source_file,
            f.unit,
            f.scan DESC
    ) AS rank
FROM scan_facts AS f
LEFT JOIN reach AS r ON r.scan = f.scan
ORDER BY f.scan
