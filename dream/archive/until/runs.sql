-- Runs that had begun by a moment. One that went on behind it was still running.
-- grain:  one row a stored run
-- reads:  whole_runs, within
-- params: none
-- into:   view stored_runs
WITH come AS (
    SELECT scan, run_id, bool_and(run_whole) AS whole
    FROM within
    GROUP BY scan, run_id
)

SELECT
    r.* REPLACE (
        CASE WHEN c.whole THEN r.state ELSE 'running' END AS state,
        CASE WHEN c.whole THEN r.ended END AS ended
    )
FROM whole_runs AS r
INNER JOIN come AS c ON c.scan = r.scan AND c.run_id = r.run_id
