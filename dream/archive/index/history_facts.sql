-- The readings of repositories' histories.
-- grain:  one row a reading of one unit of one repository
-- reads:  none
-- params: scan, source_file, live, gone (lists, an entry a reading)
-- into:   table history_facts
SELECT
    unnest($scan::BIGINT[]) AS scan,
    unnest($source_file::VARCHAR[]) AS source_file,
    unnest($live::BOOLEAN[]) AS live,
    unnest($gone::BOOLEAN[]) AS gone
