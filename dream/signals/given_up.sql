-- Work that an agent gave up by a tool of its own: it went back to an earlier point of its session.
-- The quote is the tool's own word for it; what the agent wrote about it is its own retelling.
-- grain:  one row a branch that was given up with a call of a tool that says so
-- reads:  branches, messages, calls, sessions
-- params: since (timestamp, UTC)
-- into:   GivenUp
WITH given AS (
    SELECT branch_id, session_id, reason, coalesce(last, branch_id) AS last
    FROM branches
    WHERE reason IN ('checkout', 'squash', 'd_mail') AND NOT active
),

off AS MATERIALIZED (
    SELECT message_id, parent
    FROM messages
    WHERE NOT active AND session_id IN (SELECT session_id FROM given)
),

walk AS (
    WITH RECURSIVE up AS (
        SELECT g.branch_id, o.message_id, o.parent
        FROM given AS g
        INNER JOIN off AS o ON o.message_id = g.last
        UNION
        SELECT u.branch_id, o.message_id, o.parent
        FROM up AS u
        INNER JOIN off AS o ON o.message_id = u.parent
    )

    SELECT branch_id, message_id FROM up
),

work AS (
    SELECT w.branch_id, c.*
    FROM walk AS w
    INNER JOIN calls AS c ON c.message_id = w.message_id
),

turned AS (
    SELECT
        branch_id, arg_max(call_id, (number, place)) AS call_id,
        arg_max(result_id, (number, place)) AS result_id,
        arg_max(run_id, (number, place)) AS run_id
    FROM work
    WHERE lower(tool) IN ('context_checkout', 'context_compact', 'senddmail')
    GROUP BY branch_id
),

left_behind AS (
    SELECT
        branch_id,
        list(tool ORDER BY number, place, call_id) AS tools,
        list(left(arguments, 400) ORDER BY number, place, call_id) AS arguments,
        list(status ORDER BY number, place, call_id) AS statuses
    FROM work
    GROUP BY branch_id
)

SELECT
    g.branch_id, g.session_id, t.run_id, g.reason, e.project_key, t.call_id, t.result_id,
    r.copy_key, r.text, r.happened, l.tools, l.arguments, l.statuses
FROM given AS g
INNER JOIN turned AS t ON t.branch_id = g.branch_id
INNER JOIN left_behind AS l ON l.branch_id = g.branch_id
INNER JOIN messages AS r ON r.message_id = t.result_id
INNER JOIN sessions AS e ON e.session_id = g.session_id
WHERE r.happened IS NULL OR r.happened >= $since
ORDER BY g.session_id, g.branch_id
