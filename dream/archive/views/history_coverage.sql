-- What of the histories of repositories could not be read, or not as it stands there.
-- grain:  one row a reason in a repository
-- reads:  stored_history_skips, history_facts, histories_unread
-- params: none
-- into:   view history_coverage
SELECT f.source_file, k.reason, k.detail, k.lost, k.count
FROM stored_history_skips AS k
INNER JOIN history_facts AS f ON f.scan = k.scan
WHERE f.live
UNION ALL
SELECT source_file, reason, detail, true, 1
FROM histories_unread
