-- What was said, each message once, in the session that said it first.
-- grain:  one row a message
-- reads:  stored_messages, canon, session_numbers, run_numbers, scan_facts, moved
-- params: none
-- into:   view messages
SELECT
    m.message_id, s.session_id, r.run_id, c.position AS number, m.role, m.kind, m.text, m.copy_key,
    m.digest, m.line, m.happened, coalesce(c.archived_name, m.name) AS name,
    coalesce(p.new_id, m.parent) AS parent, m.reply_id, m.active, m.model, m.tokens_in,
    m.tokens_out, m.stop, f.place AS source_file, c.copies
FROM stored_messages AS m
INNER JOIN canon AS c ON c."row" = m."row"
INNER JOIN session_numbers AS s ON s.session = c.session
INNER JOIN run_numbers AS r ON r.run = c.run
INNER JOIN scan_facts AS f ON f.scan = m.scan
LEFT JOIN moved AS p ON p.old_id = m.parent
