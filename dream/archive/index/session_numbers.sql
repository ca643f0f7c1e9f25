-- Sessions in the order in which they may own a message that several of them hold.
-- First comes the one that began first: a copy is made after the original. On a tie, one that says
-- it was not made from another, then the one that ended first, for a copy goes on.
-- grain:  one row a session
-- reads:  stored_messages, stored_sessions, stored_runs
-- params: none
-- into:   table session_numbers
WITH said AS (
    SELECT session_id, min(started) AS started, max(ended) AS ended, max(parent_id) AS parent_id
    FROM stored_sessions
    GROUP BY session_id
),

spoken AS (
    SELECT session_id, min(happened) AS started, max(happened) AS ended
    FROM stored_messages
    GROUP BY session_id
),

known AS (
    SELECT session_id FROM said
    UNION
    SELECT session_id FROM spoken
    UNION
    SELECT session_id FROM stored_runs
)

SELECT
    row_number() OVER (
        ORDER BY
            coalesce(a.started, m.started) NULLS LAST,
            a.parent_id IS NOT NULL,
            coalesce(a.ended, m.ended) NULLS LAST,
            k.session_id
    ) AS session,
    k.session_id,
    coalesce(a.started, m.started) AS started,
    coalesce(greatest(a.ended, m.ended), a.ended, m.ended) AS ended
FROM known AS k
LEFT JOIN said AS a ON a.session_id = k.session_id
LEFT JOIN spoken AS m ON m.session_id = k.session_id
ORDER BY session
