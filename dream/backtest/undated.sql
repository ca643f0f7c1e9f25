-- How many messages have no time: no night of the past knows them.
-- grain:  one row
-- reads:  messages
-- params: none
-- into:   Undated
SELECT count(*) AS messages
FROM messages
WHERE happened IS NULL
