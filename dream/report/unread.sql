-- Sources that could not be read at all.
-- grain:  one row a source
-- reads:  coverage
-- params: none
-- into:   Unread
SELECT source_file, reason, detail
FROM coverage
WHERE status IN ('refused', 'missing')
ORDER BY source_file, reason
