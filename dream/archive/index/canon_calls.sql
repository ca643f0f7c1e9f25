-- Each tool call once: of its message's copies in the owning session, an answered one first.
-- grain:  one row a call
-- reads:  stored_calls, keys, canon, ranks
-- params: none
-- into:   table canon_calls
SELECT
    c."row" AS message_row,
    s.place,
    min(((s.status = 'unanswered')::BIGINT << 62) + (r.rank << 40) + s."row")
        & ((1::BIGINT << 40) - 1) AS "row"
FROM stored_calls AS s
INNER JOIN keys AS k ON k.scan = s.scan AND k.message = md5_number(s.message_id)
INNER JOIN canon AS c ON c.copy = k.copy AND c.session = k.session
INNER JOIN ranks AS r ON r.scan = s.scan
GROUP BY c."row", s.place
