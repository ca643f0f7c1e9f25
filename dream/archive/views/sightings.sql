-- Every copy of every message, with where it was seen. gone: it is no longer there.
-- grain:  one row a copy in a file
-- reads:  stored_messages, keys, scan_facts
-- params: none
-- into:   view sightings
SELECT
    m.copy_key, m.message_id, m.session_id, m.run_id, m.name, f.source_file, m.line, m.digest,
    f.reader, f.gone
FROM stored_messages AS m
INNER JOIN keys AS k ON k."row" = m."row"
INNER JOIN scan_facts AS f ON f.scan = m.scan
