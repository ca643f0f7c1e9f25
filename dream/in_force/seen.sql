-- Rule files that no commit holds.
-- grain:  one row a text of a file
-- reads:  rules_seen
-- params: none
-- into:   Seen
SELECT root, path, blob_id, changed, gone
FROM rules_seen
ORDER BY root, path, changed, blob_id
