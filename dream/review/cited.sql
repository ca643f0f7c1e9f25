-- The stored messages that evidence points to, with where each stands at its source.
-- grain:  one row a message
-- reads:  messages, sessions
-- params: ids (list of text, message ids)
-- into:   Cited
SELECT
    m.message_id, m.session_id, m.run_id, m.name, m.role, m.kind, m.text, m.happened,
    m.source_file, m.line, m.digest,
    coalesce(s.agent, '') AS agent, coalesce(s.project_name, '') AS project
FROM messages AS m
LEFT JOIN sessions AS s ON s.session_id = m.session_id
WHERE m.message_id IN (SELECT unnest($ids))
ORDER BY m.message_id, m.source_file, m.line
