-- What an agent noted in its memory, with the messages of a person that it was made from.
-- grain:  one row a note and source message
-- reads:  memories, messages, sessions
-- params: since (timestamp, UTC)
-- into:   Noted
WITH noted AS (
    SELECT memory_id, session_id, kind, text, status, relevance, unnest(sources) AS source
    FROM memories
    WHERE kind IN ('observation', 'reflection') AND status IN ('active', 'shadowed')
)

SELECT
    n.memory_id, n.kind AS memory_kind, n.text AS note,
    m.message_id, m.session_id, m.run_id, m.copy_key, m.kind, m.text, m.happened,
    e.project_key
FROM noted AS n
INNER JOIN messages AS m ON m.message_id = n.source
INNER JOIN sessions AS e ON e.session_id = m.session_id
WHERE m.role = 'human' AND (m.happened IS NULL OR m.happened >= $since)
ORDER BY n.memory_id, m.message_id
