-- The stored messages that evidence points to, with where each stands at its source.
-- A message is known by the id of every copy of it: which copy speaks for it may change when
-- another one turns up, and what was proposed before still points to the first.
-- grain:  one row a message and id it was asked by
-- reads:  messages, sessions, sightings
-- params: ids (list of text, message ids)
-- into:   Cited
WITH asked AS (
    SELECT DISTINCT message_id, copy_key
    FROM sightings
    WHERE message_id IN (SELECT unnest($ids))
)

SELECT
    a.message_id, m.session_id, m.run_id, m.name, m.role, m.kind, m.text, m.happened,
    m.source_file, m.line, m.digest,
    coalesce(s.agent, '') AS agent, coalesce(s.project_name, '') AS project
FROM asked AS a
INNER JOIN messages AS m ON m.copy_key = a.copy_key
LEFT JOIN sessions AS s ON s.session_id = m.session_id
ORDER BY a.message_id, m.source_file, m.line
