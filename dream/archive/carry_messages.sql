-- Messages of some readings that still count.
-- grain:  one row a stored row
-- reads:  keys
-- params: stored (name of a table), scans (list of readings), target (path)
-- into:   file $target
COPY (
    SELECT m.*
    FROM query_table($stored) AS m
    WHERE m.scan IN (SELECT unnest($scans::BIGINT[])) AND m."row" IN (SELECT "row" FROM keys)
    ORDER BY m."row"
) TO $target (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 20000)
