-- When something was said, by the hour: a night after which nothing came is the one before it.
-- grain:  one row an hour in which there was a message
-- reads:  messages
-- params: none
-- into:   Busy
SELECT date_trunc('hour', happened) AS hour, count(*) AS messages
FROM messages
WHERE happened IS NOT NULL
GROUP BY date_trunc('hour', happened)
ORDER BY hour
