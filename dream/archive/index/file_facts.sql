-- The files that the manifest names.
-- grain:  one row a file
-- reads:  none
-- params: file, source_file, reader, status, first_night, last_night, read_night, gone, reason, detail, records, messages (lists, an entry a file)
-- into:   table file_facts
SELECT
    unnest($file::BIGINT[]) AS file,
    unnest($source_file::VARCHAR[]) AS source_file,
    unnest($reader::VARCHAR[]) AS reader,
    unnest($status::VARCHAR[]) AS status,
    unnest($first_night::DATE[]) AS first_night,
    unnest($last_night::DATE[]) AS last_night,
    unnest($read_night::DATE[]) AS read_night,
    unnest($gone::BOOLEAN[]) AS gone,
    unnest($reason::VARCHAR[]) AS reason,
    unnest($detail::VARCHAR[]) AS detail,
    unnest($records::BIGINT[]) AS records,
    unnest($messages::BIGINT[]) AS messages
