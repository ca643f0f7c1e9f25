-- What was not plainly read, by its reason, what was lost first.
-- grain:  one row a reader and reason
-- reads:  coverage
-- params: none
-- into:   SkipLine
SELECT
    reader, reason, lost AND status <> 'foreign' AS lost, sum(count)::BIGINT AS count, count(DISTINCT source_file) AS files,
    min(source_file || CASE WHEN line > 0 THEN ', line ' || line ELSE '' END) AS place,
    list_sort(list_distinct(list(detail) FILTER (detail <> '')))[:6] AS details
FROM coverage
WHERE status NOT IN ('read', 'refused', 'missing')
GROUP BY reader, reason, lost AND status <> 'foreign'
ORDER BY lost DESC, count DESC, reader, reason
