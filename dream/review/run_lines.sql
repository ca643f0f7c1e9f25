-- The messages of a run in order, each with its head only.
-- grain:  one row a message
-- reads:  messages
-- params: run (text, run id)
-- into:   Heading
SELECT
    message_id, name, role, kind, happened, active, left(text, 300) AS head,
    length(text) AS length
FROM messages
WHERE run_id = $run
ORDER BY number, message_id
