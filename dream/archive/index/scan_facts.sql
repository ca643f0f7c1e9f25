-- The readings that the manifest names, each with its file.
-- grain:  one row a reading of one unit of one file
-- reads:  file_facts
-- params: scan, file, live, gone, unit, night (lists, an entry a reading)
-- into:   table scan_facts
WITH scans AS (
    SELECT
        unnest($scan::BIGINT[]) AS scan,
        unnest($file::BIGINT[]) AS file,
        unnest($live::BOOLEAN[]) AS live,
        unnest($gone::BOOLEAN[]) AS unit_gone,
        unnest($unit::VARCHAR[]) AS unit,
        unnest($night::DATE[]) AS night
)

SELECT
    s.scan, s.file, s.live, s.unit, s.night, f.source_file, f.reader,
    -- In a repository the object tells, as git names it: <git folder>:<object>.
    CASE
        WHEN s.unit <> '' AND ends_with(f.source_file, '/HEAD')
            THEN left(f.source_file, -5) || ':' || s.unit
        ELSE f.source_file
    END AS place,
    s.unit_gone OR f.gone OR NOT s.live AS gone
FROM scans AS s
INNER JOIN file_facts AS f ON f.file = s.file
ORDER BY s.scan
