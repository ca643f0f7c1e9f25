-- Prompts of a person by how far the work before them stands behind the last compaction, and how
-- many of these correct that work. A prompt with no work before it corrects nothing.
-- Only what was judged counts: since.
-- grain:  one row a session and distance
-- reads:  messages, sessions, distances
-- params: since (timestamp, UTC), corrections (list of text, message ids)
-- into:   At
WITH said AS (
    SELECT
        m.message_id, m.session_id, m.happened, s.agent,
        m.role = 'human' AND m.kind = 'prompt' AS prompt,
        max(m.number) FILTER (WHERE m.role = 'assistant') OVER (
            PARTITION BY m.session_id ORDER BY m.number
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS worked
    FROM messages AS m
    INNER JOIN sessions AS s ON s.session_id = m.session_id
    WHERE s.kind IN ('interactive', 'unknown')
)

SELECT
    p.agent, p.session_id,
    true AS talked,
    d.turns AS distance,
    count(*) FILTER (WHERE list_contains($corrections, p.message_id)) AS failed,
    count(*) AS tried
FROM said AS p
INNER JOIN distances AS d ON d.session_id = p.session_id AND d.number = p.worked
WHERE p.prompt AND (p.happened IS NULL OR p.happened >= $since)
GROUP BY p.agent, p.session_id, d.turns
ORDER BY p.agent, p.session_id, d.turns NULLS FIRST
