-- Calls of tools by how many turns they stand behind the last compaction, and how many failed.
-- Only calls that ran count: refused, interrupted and unanswered ones are neither.
-- talked: whether a person talks in the session; elsewhere turns do not tell a distance.
-- grain:  one row a session and distance
-- reads:  calls, sessions, distances
-- params: none
-- into:   At
SELECT
    s.agent, c.session_id,
    s.kind IN ('interactive', 'unknown') AS talked,
    d.turns AS distance,
    count(*) FILTER (WHERE c.status = 'error') AS failed,
    count(*) AS tried
FROM calls AS c
INNER JOIN sessions AS s ON s.session_id = c.session_id
INNER JOIN distances AS d ON d.message_id = c.message_id
WHERE c.status IN ('ok', 'error')
GROUP BY s.agent, c.session_id, s.kind, d.turns
ORDER BY s.agent, c.session_id, d.turns NULLS FIRST
