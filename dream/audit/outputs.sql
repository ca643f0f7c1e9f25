-- How long the results of calls of some tools were, in characters, before a rule and after it.
-- grain:  one row a side that has results
-- reads:  calls, messages
-- params: earlier (list of text, run ids), later (list of text, run ids), tools (list of text)
-- into:   Output
WITH sides AS (
    SELECT unnest($earlier::VARCHAR[]) AS run_id, false AS after
    UNION ALL
    SELECT unnest($later::VARCHAR[]), true
)

SELECT
    s.after, count(*) AS results,
    median(length(m.text))::DOUBLE AS median,
    avg(length(m.text))::DOUBLE AS mean
FROM calls AS c
INNER JOIN sides AS s ON s.run_id = c.run_id
INNER JOIN messages AS m ON m.message_id = c.result_id
WHERE lower(c.tool) IN (SELECT unnest($tools::VARCHAR[]))
GROUP BY s.after
ORDER BY s.after
