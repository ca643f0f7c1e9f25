-- Which turn of its project each message falls in: the prompts of a person there until then, by
-- time. A message is known by the id of every copy of it.
-- grain:  one row a message and project
-- reads:  messages, sessions, sightings
-- params: ids (list of text, message ids)
-- into:   TurnOf
WITH turns AS (
    SELECT
        m.copy_key, s.project_key,
        count(*) FILTER (WHERE m.role = 'human' AND m.kind = 'prompt') OVER (
            PARTITION BY s.project_key ORDER BY m.happened NULLS FIRST, m.session_id, m.number
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS turn
    FROM messages AS m
    INNER JOIN sessions AS s ON s.session_id = m.session_id
),

asked AS (
    SELECT DISTINCT message_id, copy_key
    FROM sightings
    WHERE message_id IN (SELECT unnest($ids))
)

SELECT a.message_id, t.project_key, max(t.turn)::INTEGER AS turn
FROM asked AS a
INNER JOIN turns AS t ON t.copy_key = a.copy_key
GROUP BY a.message_id, t.project_key
ORDER BY a.message_id, t.project_key
