-- Sessions that had begun by a moment, and how far they had come.
-- grain:  one row a stored session
-- reads:  whole_sessions, within
-- params: none
-- into:   view stored_sessions
WITH come AS (
    SELECT scan, session_id, max(reached) AS reached, bool_and(whole) AS whole
    FROM within
    GROUP BY scan, session_id
)

SELECT s.* REPLACE (CASE WHEN c.whole THEN s.ended ELSE c.reached END AS ended)
FROM whole_sessions AS s
INNER JOIN come AS c ON c.scan = s.scan AND c.session_id = s.session_id
