-- The runs of a session in order.
-- grain:  one row a run
-- reads:  runs, messages, deletions
-- params: session (text, session id)
-- into:   RunHeading
SELECT
    r.run_id, r.name, r.state, r.started,
    count(m.message_id) AS messages,
    coalesce(left(arg_min(m.text, m.number) FILTER (m.role = 'human'), 300), '') AS head,
    any_value(d.deleted) AS deleted
FROM runs AS r
LEFT JOIN messages AS m ON m.run_id = r.run_id
LEFT JOIN deletions AS d ON d.run_id = r.run_id
WHERE r.session_id = $session
GROUP BY r.run_id, r.name, r.state, r.started, r.number
ORDER BY r.number, r.run_id
