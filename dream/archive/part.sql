-- Lines of JSON become one Parquet file, in the order they stand in: one thread writes it.
-- grain:  one row a line
-- reads:  none (the file $lines)
-- params: lines (path), columns (name to type), longest (bytes of a line), target (path)
-- into:   file $target
COPY (
    SELECT *
    FROM read_json(
        $lines,
        format = 'newline_delimited',
        compression = 'none',
        columns = $columns,
        maximum_object_size = $longest
    )
) TO $target (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 20000, ROW_GROUP_SIZE_BYTES '16MB')
