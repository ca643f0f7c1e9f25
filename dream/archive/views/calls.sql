-- Calls of tools, each once, with the place of its message.
-- grain:  one row a call
-- reads:  stored_calls, canon_calls, canon, stored_messages, session_numbers, run_numbers, scan_facts, moved
-- params: none
-- into:   view calls
WITH asked AS (
    SELECT c.*, m.message_id
    FROM canon AS c
    INNER JOIN stored_messages AS m ON m."row" = c."row"
)

SELECT
    t.call_id, s.session_id, r.run_id, a.message_id, a.position AS number, t.place, t.tool,
    t.arguments, t.status, t.line, t.copy_key, coalesce(p.new_id, t.result_id) AS result_id,
    t.exit_code, a.active, t.happened, f.place AS source_file
FROM stored_calls AS t
INNER JOIN canon_calls AS o ON o."row" = t."row"
INNER JOIN asked AS a ON a."row" = o.message_row
INNER JOIN session_numbers AS s ON s.session = a.session
INNER JOIN run_numbers AS r ON r.run = a.run
INNER JOIN scan_facts AS f ON f.scan = t.scan
LEFT JOIN moved AS p ON p.old_id = t.result_id
