-- The stored messages that evidence points to, with where each stands at its source.
-- grain:  one row a message
-- reads:  messages, sessions, sightings
-- params: ids (list of text, message ids)
-- into:   Cited
WITH wanted AS (
    SELECT * FROM messages WHERE message_id IN (SELECT unnest($ids))
),

named AS (
    -- A session file has no short name for a message that its archive does name.
    SELECT copy_key, min(name) AS name
    FROM sightings
    WHERE copy_key IN (SELECT copy_key FROM wanted)
    GROUP BY copy_key
)

SELECT
    m.message_id, m.session_id, m.run_id, coalesce(m.name, n.name) AS name, m.role, m.kind, m.text,
    m.happened, m.source_file, m.line, m.digest,
    coalesce(s.agent, '') AS agent, coalesce(s.project_name, '') AS project
FROM wanted AS m
LEFT JOIN sessions AS s ON s.session_id = m.session_id
LEFT JOIN named AS n ON n.copy_key = m.copy_key
ORDER BY m.message_id, m.source_file, m.line
