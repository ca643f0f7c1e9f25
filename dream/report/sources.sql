-- What each reader took, over all its files. Messages count every copy, as the files hold them.
-- grain:  one row a reader
-- reads:  files, coverage
-- params: night (text, ISO date)
-- into:   SourceLine
WITH taken AS (
    SELECT
        reader, count(*) AS files, count(*) FILTER (first_night = $night) AS fresh,
        count(*) FILTER (gone) AS gone, coalesce(sum(records), 0)::BIGINT AS records,
        coalesce(sum(messages), 0)::BIGINT AS messages
    FROM files
    GROUP BY reader
),

passed AS (
    SELECT
        reader,
        coalesce(sum(count) FILTER (lost), 0)::BIGINT AS lost,
        coalesce(sum(count) FILTER (NOT lost), 0)::BIGINT AS noticed
    FROM coverage
    WHERE status IN ('skipped', 'noticed')
    GROUP BY reader
)

SELECT
    t.reader, t.files, t.fresh, t.gone, t.records, t.messages, coalesce(p.lost, 0) AS lost,
    coalesce(p.noticed, 0) AS noticed
FROM taken AS t
LEFT JOIN passed AS p ON p.reader = t.reader
ORDER BY t.reader
