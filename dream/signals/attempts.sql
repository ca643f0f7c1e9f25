-- The calls of sessions in which a call failed, to see what came of each failure.
-- grain:  one row a tool call
-- reads:  calls, sessions
-- params: since (timestamp, UTC)
-- into:   Attempt
WITH troubled AS (
    SELECT DISTINCT session_id
    FROM calls
    WHERE
        (happened IS NULL OR happened >= $since)
        AND (
            status = 'error'
            OR coalesce(exit_code, 0) <> 0
            OR regexp_matches(arguments, '[|]|2>')
        )
)

SELECT
    c.session_id, c.run_id, c.call_id, c.message_id, c.tool, left(c.arguments, 4000) AS arguments,
    c.status, c.active, e.project_key
FROM calls AS c
INNER JOIN troubled AS t ON t.session_id = c.session_id
INNER JOIN sessions AS e ON e.session_id = c.session_id
WHERE c.happened IS NULL OR c.happened >= $since
ORDER BY c.session_id, c.happened NULLS FIRST, c.number, c.place, c.call_id
