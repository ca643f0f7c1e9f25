-- How many rows of which reading a file holds.
-- grain:  one row a reading
-- reads:  none (the file $target)
-- params: target (path)
-- into:   Carried
SELECT scan, count(*) AS rows
FROM read_parquet($target)
GROUP BY scan
ORDER BY scan
