-- What became of every file and of every part of it that was not plainly read.
-- status: read (count: its records); skipped (content was lost); noticed (mended, or only seen);
-- foreign, refused (the file as a whole, while it is there); gone (what was read of it is kept);
-- missing (a source of dream.yaml that could not be looked into).
-- grain:  one row a file and status, or a reason and line in a file
-- reads:  stored_skips, scan_facts, file_facts, missing_sources
-- params: none
-- into:   view coverage
SELECT
    f.source_file, f.reader, f.night, CASE WHEN k.lost THEN 'skipped' ELSE 'noticed' END AS status,
    k.reason, k.line, k.detail, k.lost, k.count
FROM stored_skips AS k
INNER JOIN scan_facts AS f ON f.scan = k.scan
WHERE f.live
UNION ALL
SELECT
    source_file, reader, read_night, 'read', '', 0, '', false, records
FROM file_facts
WHERE status IN ('read', 'partly')
UNION ALL
SELECT source_file, reader, last_night, status, reason, 0, detail, true, 1
FROM file_facts
WHERE status IN ('foreign', 'refused') AND NOT gone
UNION ALL
SELECT source_file, reader, last_night, 'gone', 'gone', 0, '', false, messages
FROM file_facts
WHERE gone
UNION ALL
SELECT source, '', night, 'missing', 'unreadable', 0, detail, true, 1
FROM missing_sources
