-- Repositories whose history could not be read on the last night that tried.
-- grain:  one row a repository
-- reads:  none
-- params: source_file, reason, detail (lists, an entry a repository)
-- into:   table histories_unread
SELECT
    unnest($source_file::VARCHAR[]) AS source_file,
    unnest($reason::VARCHAR[]) AS reason,
    unnest($detail::VARCHAR[]) AS detail
