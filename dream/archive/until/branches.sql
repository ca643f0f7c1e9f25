-- Paths through sessions' trees whose tips had come by a moment.
-- grain:  one row a stored branch
-- reads:  whole_branches, within
-- params: until (timestamp, UTC)
-- into:   view stored_branches
SELECT b.*
FROM whole_branches AS b
WHERE
    coalesce(b.happened < $until, TRUE)
    AND (b.scan, b.session_id) IN (SELECT scan, session_id FROM within)
