-- Each message once, however many files, sessions and archives hold a copy: the session that owns
-- it, the stored row that speaks for it, and what a run archive adds.
-- grain:  one row a message
-- reads:  keys, ranks
-- params: none
-- into:   table owners
WITH owner AS (
    SELECT copy, min(session) AS session, count(*) AS copies
    FROM keys
    GROUP BY copy
)

SELECT
    k.copy,
    k.session,
    any_value(o.copies) AS copies,
    -- Rank above, row below, in one number: the smallest is the best-believed row.
    min((r.rank << 40) + k."row") & ((1::BIGINT << 40) - 1) AS "row",
    min(k.run) FILTER (WHERE k.archived) AS archived_run,
    min(k.name) FILTER (WHERE k.archived) AS archived_name
FROM owner AS o
INNER JOIN keys AS k ON k.copy = o.copy AND k.session = o.session
INNER JOIN ranks AS r ON r.scan = k.scan
GROUP BY k.copy, k.session
