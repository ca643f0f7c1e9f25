-- Entries of memory ledgers that had been made by a moment. One that was dropped later stood still.
-- grain:  one row a stored entry
-- reads:  whole_memories, within
-- params: until (timestamp, UTC)
-- into:   view stored_memories
WITH come AS (
    SELECT *
    FROM whole_memories
    WHERE
        coalesce(happened < $until, TRUE)
        AND (scan, session_id) IN (SELECT scan, session_id FROM within)
),

dropped AS (
    SELECT DISTINCT scan, session_id, ledger_id FROM come WHERE kind = 'drop'
)

SELECT
    c.* REPLACE (
        CASE
            WHEN c.status = 'dropped' AND d.ledger_id IS NULL AND c.kind <> 'drop' THEN 'active'
            ELSE c.status
        END AS status
    )
FROM come AS c
LEFT JOIN dropped AS d
    ON d.scan = c.scan AND d.session_id = c.session_id AND d.ledger_id = c.ledger_id
