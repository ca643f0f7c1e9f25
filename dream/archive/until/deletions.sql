-- Runs that their archives had deleted by a moment.
-- grain:  one row a stored deletion
-- reads:  whole_deletions
-- params: until (timestamp, UTC)
-- into:   view stored_deletions
SELECT d.*
FROM whole_deletions AS d
WHERE coalesce(d.deleted < $until, TRUE)
