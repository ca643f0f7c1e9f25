-- What of the histories of repositories could not be read; secrets that were taken out aside.
-- grain:  one row a reason in a repository
-- reads:  history_coverage
-- params: none
-- into:   Unread
SELECT source_file AS repository, reason, detail, sum(count)::BIGINT AS count
FROM history_coverage
WHERE lost
GROUP BY source_file, reason, detail
ORDER BY source_file, reason, detail
