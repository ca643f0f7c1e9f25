-- What people typed, each turn with what the agent had done since the turn before it.
-- grain:  one row a message of a person (prompts, and words inside refused calls)
-- reads:  messages, sessions, calls
-- params: since (timestamp, UTC)
-- into:   HumanTurn
WITH recent AS (
    SELECT session_id, project_key
    FROM sessions
    WHERE kind IN ('interactive', 'unknown') AND (ended IS NULL OR ended >= $since)
),

-- Texts are the bulk of an archive, so the sort below does not carry them.
told AS MATERIALIZED (
    SELECT m.message_id, CASE m.role WHEN 'human' THEN m.text ELSE right(m.text, 600) END AS text
    FROM messages AS m
    WHERE m.role IN ('human', 'assistant') AND m.text <> ''
),

placed AS MATERIALIZED (
    SELECT
        m.message_id, m.session_id, m.run_id, m.copy_key, m.role, m.kind, m.happened,
        r.project_key,
        row_number() OVER in_order AS place,
        count(*) FILTER (WHERE m.role = 'human')
            OVER (in_order ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS earlier
    FROM messages AS m
    INNER JOIN recent AS r ON r.session_id = m.session_id
    WINDOW in_order AS (
        PARTITION BY m.session_id ORDER BY m.happened NULLS FIRST, m.number, m.message_id
    )
),

work AS (
    SELECT
        message_id,
        count(*) AS calls,
        count(*) FILTER (
            WHERE regexp_matches(tool, '(?i)edit|write|patch|create|replace|bash|exec|shell')
        ) AS edits
    FROM calls
    GROUP BY message_id
),

before AS (
    SELECT
        p.session_id, p.earlier,
        arg_max(p.message_id, p.place)
            FILTER (WHERE p.role = 'assistant' AND t.message_id IS NOT NULL) AS replied,
        coalesce(sum(w.calls), 0)::INTEGER AS calls,
        coalesce(sum(w.edits), 0)::INTEGER AS edits,
        bool_or(p.kind = 'interrupt') AS interrupted
    FROM placed AS p
    LEFT JOIN work AS w ON w.message_id = p.message_id
    LEFT JOIN (SELECT message_id FROM told) AS t ON t.message_id = p.message_id
    WHERE p.role <> 'human'
    GROUP BY p.session_id, p.earlier
)

SELECT
    p.message_id, p.session_id, p.run_id, p.copy_key, p.kind, t.text, p.happened, p.project_key,
    p.earlier::INTEGER AS earlier,
    coalesce(a.text, '') AS reply,
    coalesce(b.calls, 0) AS calls,
    coalesce(b.edits, 0) AS edits,
    coalesce(b.interrupted, FALSE) AS interrupted
FROM placed AS p
INNER JOIN told AS t ON t.message_id = p.message_id
LEFT JOIN before AS b ON b.session_id = p.session_id AND b.earlier = p.earlier
LEFT JOIN told AS a ON a.message_id = b.replied
WHERE p.role = 'human' AND (p.happened IS NULL OR p.happened >= $since)
ORDER BY p.session_id, p.place
