-- Stored messages that had come by a moment, and whether each was already given up by then.
-- One without a time counts for that of the last before it in its file, so a file without any time
-- had not begun. What was given up stood until something else was kept behind it.
-- grain:  one row a stored message
-- reads:  whole_messages
-- params: until (timestamp, UTC)
-- into:   table within
WITH timed AS (
    SELECT
        "row", scan, session_id, run_id, message_id, number, active,
        max(happened) OVER (PARTITION BY scan, session_id ORDER BY number, "row") AS reached
    FROM whole_messages
),

told AS (
    SELECT
        *,
        coalesce(reached < $until, FALSE) AS came,
        max(number) FILTER (WHERE active AND reached < $until)
            OVER (PARTITION BY scan, session_id) AS kept,
        bool_and(coalesce(reached < $until, FALSE)) OVER (PARTITION BY scan, session_id) AS whole,
        bool_and(coalesce(reached < $until, FALSE)) OVER (PARTITION BY scan, run_id) AS run_whole
    FROM timed
)

SELECT
    "row", scan, session_id, run_id, message_id, reached, whole, run_whole,
    active OR (NOT whole AND number > coalesce(kept, -1)) AS active
FROM told
WHERE came
