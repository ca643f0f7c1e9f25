-- Runs that their own archives have deleted, as first told.
-- grain:  one row a run
-- reads:  stored_deletions, scan_facts
-- params: none
-- into:   view deletions
SELECT d.run_id, d.name, d.deleted, d.reason, d.line, f.source_file
FROM stored_deletions AS d
INNER JOIN scan_facts AS f ON f.scan = d.scan
QUALIFY row_number() OVER (
    PARTITION BY d.run_id ORDER BY d.deleted NULLS LAST, f.live DESC, f.source_file, d."row"
) = 1
