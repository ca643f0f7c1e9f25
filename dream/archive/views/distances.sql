-- How far each message stands behind the last compaction of its session; NULL before any.
-- turns: prompts of a person since then, its own included, so 0 is the turn the compaction fell in.
-- messages: those between the compaction and this one. What was given up does not count for a
-- message that was kept, neither compactions nor messages; a session that was forked off behind a
-- compaction of its parent begins anew.
-- grain:  one row a message
-- reads:  messages, compactions
-- params: none
-- into:   view distances
WITH events AS (
    SELECT
        session_id, number, 1 AS later, active, message_id, run_id,
        role = 'human' AND kind = 'prompt' AS prompt
    FROM messages
    UNION ALL
    SELECT session_id, number, 0, active, NULL, NULL, false
    FROM compactions
),

counted AS (
    SELECT
        *,
        count(message_id) OVER so_far AS messages,
        count(*) FILTER (WHERE prompt) OVER so_far AS turns,
        count(message_id) FILTER (WHERE active) OVER so_far AS kept_messages,
        count(*) FILTER (WHERE prompt AND active) OVER so_far AS kept_turns
    FROM events
    WINDOW so_far AS (
        PARTITION BY session_id ORDER BY number, later
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    )
),

behind AS (
    -- Counts only grow, so the largest at a compaction is that of the last one.
    SELECT
        *,
        max(messages) FILTER (WHERE later = 0) OVER so_far AS messages_then,
        max(turns) FILTER (WHERE later = 0) OVER so_far AS turns_then,
        max(kept_messages) FILTER (WHERE later = 0 AND active) OVER so_far AS kept_messages_then,
        max(kept_turns) FILTER (WHERE later = 0 AND active) OVER so_far AS kept_turns_then
    FROM counted
    WINDOW so_far AS (
        PARTITION BY session_id ORDER BY number, later
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    )
)

SELECT
    message_id, session_id, run_id, number,
    CASE WHEN active THEN kept_turns - kept_turns_then ELSE turns - turns_then END AS turns,
    CASE WHEN active THEN kept_messages - kept_messages_then ELSE messages - messages_then END
        - 1 AS messages
FROM behind
WHERE later = 1
