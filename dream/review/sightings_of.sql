-- Every place where a message that evidence points to was seen.
-- grain:  one row a place
-- reads:  messages, sightings, files
-- params: ids (list of text, message ids)
-- into:   Sighting
SELECT DISTINCT
    m.message_id, s.reader, s.source_file, s.line, s.digest, s.run_id,
    coalesce(f.gone, false) AS gone
FROM messages AS m
JOIN sightings AS s ON s.copy_key = m.copy_key
LEFT JOIN files AS f ON f.source_file = s.source_file AND f.reader = s.reader
WHERE m.message_id IN (SELECT unnest($ids))
ORDER BY m.message_id, s.source_file, s.line, s.digest, s.run_id
