-- Secrets that were taken out before anything was stored. mark: equal for equal secrets within this
-- state, and of no use outside of it: count it, never show it.
-- grain:  one row a place
-- reads:  stored_removals, scan_facts
-- params: none
-- into:   view removals
SELECT r.kind, r.mark, r.session_id, r.line, f.source_file
FROM stored_removals AS r
INNER JOIN scan_facts AS f ON f.scan = r.scan
WHERE f.live
