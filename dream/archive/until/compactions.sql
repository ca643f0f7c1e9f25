-- Compactions that had come by a moment.
-- grain:  one row a stored compaction
-- reads:  whole_compactions, within
-- params: until (timestamp, UTC)
-- into:   view stored_compactions
SELECT c.*
FROM whole_compactions AS c
WHERE
    coalesce(c.happened < $until, TRUE)
    AND (c.scan, c.session_id) IN (SELECT scan, session_id FROM within)
