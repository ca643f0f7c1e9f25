-- Every place where a message that evidence points to was seen, whichever copy it points to.
-- grain:  one row a place
-- reads:  sightings
-- params: ids (list of text, message ids)
-- into:   Sighting
WITH asked AS (
    SELECT DISTINCT message_id, copy_key
    FROM sightings
    WHERE message_id IN (SELECT unnest($ids))
)

SELECT DISTINCT a.message_id, s.reader, s.source_file, s.line, s.digest, s.run_id, s.gone
FROM asked AS a
INNER JOIN sightings AS s ON s.copy_key = a.copy_key
ORDER BY a.message_id, s.source_file, s.line, s.digest, s.run_id, s.gone
