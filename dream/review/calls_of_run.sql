-- The tool calls of a run, in the order the agent made them.
-- grain:  one row a call
-- reads:  calls
-- params: run (text, run id)
-- into:   Call
SELECT tool, arguments, status, exit_code, message_id, result_id
FROM calls
WHERE run_id = $run
ORDER BY number, place, call_id
