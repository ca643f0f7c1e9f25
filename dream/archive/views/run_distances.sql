-- How far each run began behind the last compaction of its session; NULL before any.
-- compactions: how many fell into the run itself.
-- grain:  one row a run
-- reads:  runs, distances, compactions
-- params: none
-- into:   view run_distances
WITH begun AS (
    SELECT run_id, min(number) AS first, max(number) AS last
    FROM distances
    GROUP BY run_id
),

inside AS (
    SELECT r.run_id, count(*) AS compactions
    FROM runs AS r
    INNER JOIN begun AS b ON b.run_id = r.run_id
    INNER JOIN compactions AS c ON c.session_id = r.session_id
    WHERE c.number > b.first AND c.number <= b.last
    GROUP BY r.run_id
)

SELECT r.run_id, r.session_id, d.turns, d.messages, coalesce(i.compactions, 0) AS compactions
FROM runs AS r
LEFT JOIN begun AS b ON b.run_id = r.run_id
LEFT JOIN distances AS d ON d.run_id = b.run_id AND d.number = b.first
LEFT JOIN inside AS i ON i.run_id = r.run_id
