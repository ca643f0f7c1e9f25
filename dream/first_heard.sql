-- The time of the first message of all, to tell whether a window leaves anything out.
-- grain:  one row
-- reads:  messages
-- params: none
-- into:   First
SELECT coalesce(min(happened), make_timestamptz(9999, 1, 1, 0, 0, 0)) AS happened
FROM messages
