-- Names that had been hung on records by a moment.
-- grain:  one row a stored label
-- reads:  whole_labels, within
-- params: until (timestamp, UTC)
-- into:   view stored_labels
SELECT n.*
FROM whole_labels AS n
WHERE
    coalesce(n.happened < $until, TRUE)
    AND (n.scan, n.session_id) IN (SELECT scan, session_id FROM within)
