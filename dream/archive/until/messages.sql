-- What had been said by a moment.
-- grain:  one row a stored message
-- reads:  whole_messages, within
-- params: none
-- into:   view stored_messages
SELECT m.* REPLACE (w.active AS active)
FROM whole_messages AS m
INNER JOIN within AS w ON w."row" = m."row"
