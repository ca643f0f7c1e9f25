-- Rows of some readings that only hold while the reading is the newest.
-- grain:  one row a stored row
-- reads:  scan_facts
-- params: stored (name of a table), scans (list of readings), target (path)
-- into:   file $target
COPY (
    SELECT t.*
    FROM query_table($stored) AS t
    WHERE
        t.scan IN (SELECT unnest($scans::BIGINT[]))
        AND t.scan IN (SELECT scan FROM scan_facts WHERE live)
    ORDER BY t."row"
) TO $target (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 20000)
