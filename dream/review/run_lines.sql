-- The messages of a run in order, each with its head only.
-- grain:  one row a message
-- reads:  messages, sightings
-- params: run (text, run id)
-- into:   Heading
WITH named AS (
    SELECT copy_key, min(name) AS name
    FROM sightings
    WHERE copy_key IN (SELECT copy_key FROM messages WHERE run_id = $run)
    GROUP BY copy_key
)

SELECT
    m.message_id, coalesce(m.name, n.name) AS name, m.role, m.kind, m.happened, m.active,
    left(m.text, 300) AS head, length(m.text) AS length
FROM messages AS m
LEFT JOIN named AS n ON n.copy_key = m.copy_key
WHERE m.run_id = $run
ORDER BY m.number, m.message_id
