-- The calls of runs that settled, on the branch that won: what paths are made of.
-- grain:  one row a tool call
-- reads:  calls, runs, sessions
-- params: since (timestamp, UTC)
-- into:   StepRow
SELECT
    c.session_id, c.run_id, c.call_id, c.message_id, c.tool, left(c.arguments, 4000) AS arguments,
    c.status, coalesce(c.exit_code, 0) AS exit_code, c.happened, e.project_key
FROM calls AS c
INNER JOIN runs AS r ON r.run_id = c.run_id
INNER JOIN sessions AS e ON e.session_id = c.session_id
WHERE
    r.state = 'settled'
    AND c.active
    AND e.kind IN ('interactive', 'unknown')
    AND (c.happened IS NULL OR c.happened >= $since)
ORDER BY c.session_id, c.run_id, c.happened NULLS FIRST, c.number, c.place, c.call_id
