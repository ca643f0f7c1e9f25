-- Secrets that were taken out of what is stored. mark: equal for equal secrets, and to be shown
-- nowhere.
-- grain:  one row a place where a secret stood
-- reads:  stored_removals, scan_facts
-- params: none
-- into:   view removals
SELECT r.session_id, r.line, r.kind, r.mark, f.source_file
FROM stored_removals AS r
INNER JOIN scan_facts AS f ON f.scan = r.scan
WHERE f.live
