-- Ids of copies, and the id of the message they are copies of: links are led through here.
-- grain:  one row an id that another one stands for
-- reads:  keys, canon, stored_messages
-- params: none
-- into:   table moved
WITH copies AS (
    SELECT k."row", c."row" AS canon_row
    FROM keys AS k
    INNER JOIN canon AS c ON c.copy = k.copy
    WHERE k.message <> c.message AND k.message NOT IN (SELECT message FROM canon)
)

SELECT old.message_id AS old_id, min(new.message_id) AS new_id
FROM copies AS c
INNER JOIN stored_messages AS old ON old."row" = c."row"
INNER JOIN stored_messages AS new ON new."row" = c.canon_row
GROUP BY old.message_id
