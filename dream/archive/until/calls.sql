-- Calls that had been made by a moment. One whose result came later is unanswered.
-- grain:  one row a stored call
-- reads:  whole_calls, within
-- params: none
-- into:   view stored_calls
SELECT
    c.* REPLACE (
        CASE WHEN c.result_id IS NOT NULL AND r."row" IS NULL THEN 'unanswered' ELSE c.status END
            AS status,
        CASE WHEN c.result_id IS NOT NULL AND r."row" IS NULL THEN NULL ELSE c.exit_code END
            AS exit_code,
        CASE WHEN r."row" IS NULL THEN NULL ELSE c.result_id END AS result_id,
        w.active AS active
    )
FROM whole_calls AS c
INNER JOIN within AS w ON w.scan = c.scan AND w.message_id = c.message_id
LEFT JOIN within AS r ON r.scan = c.scan AND r.message_id = c.result_id
