-- Every place where a message that evidence points to was seen.
-- grain:  one row a place
-- reads:  messages, sightings
-- params: ids (list of text, message ids)
-- into:   Sighting
SELECT DISTINCT m.message_id, s.reader, s.source_file, s.line, s.digest, s.run_id, s.gone
FROM messages AS m
INNER JOIN sightings AS s ON s.copy_key = m.copy_key
WHERE m.message_id IN (SELECT unnest($ids))
ORDER BY m.message_id, s.source_file, s.line, s.digest, s.run_id, s.gone
