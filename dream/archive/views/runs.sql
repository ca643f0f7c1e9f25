-- Requests of a person until the agent settled.
-- grain:  one row a run
-- reads:  run_heads, session_numbers
-- params: none
-- into:   view runs
SELECT
    r.run_id, s.session_id, r.number, r.name, r.state, r.started, r.ended, r.line
FROM run_heads AS r
INNER JOIN session_numbers AS s ON s.session = r.session
