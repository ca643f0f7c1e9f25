-- Checkpoints that had been made by a moment.
-- grain:  one row a stored checkpoint
-- reads:  whole_checkpoints
-- params: until (timestamp, UTC)
-- into:   view stored_checkpoints
SELECT c.*
FROM whole_checkpoints AS c
WHERE coalesce(c.happened < $until, TRUE)
