-- The tool calls that a message made or answers.
-- grain:  one row a call
-- reads:  calls
-- params: message (text, message id)
-- into:   Call
SELECT tool, arguments, status, exit_code, message_id, result_id
FROM calls
WHERE message_id = $message OR result_id = $message
ORDER BY number, place, call_id
