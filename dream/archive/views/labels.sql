-- Names that hang on records.
-- grain:  one row a label of a record
-- reads:  stored_labels, ranks, scan_facts, moved
-- params: none
-- into:   view labels
SELECT
    s.session_id, coalesce(m.new_id, s.target) AS target, s.text, s.happened, s.line, f.source_file
FROM stored_labels AS s
INNER JOIN ranks AS r ON r.scan = s.scan
INNER JOIN scan_facts AS f ON f.scan = s.scan
LEFT JOIN moved AS m ON m.old_id = s.target
WHERE r.live
QUALIFY row_number() OVER (PARTITION BY s.session_id, s.target ORDER BY r.rank, s."row" DESC) = 1
