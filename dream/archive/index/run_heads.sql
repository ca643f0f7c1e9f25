-- Each run once. A cut of a session's file is a run while it holds a message of its own that no
-- recorded run has; a recorded run is one whatever it holds.
-- grain:  one row a run
-- reads:  stored_runs, run_numbers, session_numbers, ranks, canon
-- params: none
-- into:   table run_heads
WITH held AS (
    SELECT
        run, any_value(session) AS session, min(position) AS first_position,
        count(*) AS messages, count(DISTINCT scan) AS scans,
        min(happened) AS first_happened, max(happened) AS last_happened
    FROM canon
    GROUP BY run
),

said AS (
    SELECT
        n.run, n.run_id, n.archived,
        arg_min(r.session_id, k.rank) AS session_id,
        arg_min(r.number, k.rank) AS number,
        arg_min(r.name, k.rank) FILTER (WHERE r.name IS NOT NULL) AS name,
        arg_min(r.state, k.rank) AS state,
        arg_min(r.started, k.rank) FILTER (WHERE r.started IS NOT NULL) AS started,
        arg_min(r.ended, k.rank) FILTER (WHERE r.ended IS NOT NULL) AS ended,
        arg_min(r.line, k.rank) AS line
    FROM stored_runs AS r
    INNER JOIN run_numbers AS n ON n.run_id = r.run_id
    INNER JOIN ranks AS k ON k.scan = r.scan
    GROUP BY n.run, n.run_id, n.archived
),

mixed AS (
    -- Sessions whose runs come from several places, each with a count of its own.
    SELECT c.session
    FROM canon AS c
    INNER JOIN run_numbers AS n ON n.run = c.run
    GROUP BY c.session
    HAVING count(DISTINCT n.archived) > 1
        OR (NOT bool_or(n.archived) AND count(DISTINCT c.scan) > 1)
),

kept AS (
    SELECT
        n.run, n.run_id, coalesce(h.session, o.session) AS session, h.first_position,
        coalesce(s.number, 1) AS number, s.name, coalesce(s.state, 'settled') AS state,
        coalesce(s.started, h.first_happened) AS started,
        CASE WHEN s.run IS NULL THEN h.last_happened ELSE s.ended END AS ended,
        coalesce(s.line, 0) AS line
    FROM run_numbers AS n
    LEFT JOIN held AS h ON h.run = n.run
    LEFT JOIN said AS s ON s.run = n.run
    LEFT JOIN session_numbers AS o ON o.session_id = s.session_id
    WHERE h.run IS NOT NULL OR n.archived
)

SELECT
    k.run, k.run_id, k.session, k.name, k.state, k.started, k.ended, k.line,
    CASE
        WHEN k.number = 0 OR k.session NOT IN (SELECT session FROM mixed) THEN k.number
        ELSE row_number() OVER (
            PARTITION BY k.session, k.number = 0
            ORDER BY k.first_position NULLS LAST, k.started NULLS LAST, k.run_id
        )
    END AS number
FROM kept AS k
ORDER BY k.run
