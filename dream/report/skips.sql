-- What was not plainly read, by its reason, what was lost first. Of places and of names there are
-- the first six; of the names each with how often it stands there.
-- grain:  one row a reader and reason
-- reads:  coverage
-- params: none
-- into:   SkipLine
WITH passed AS (
    SELECT
        reader, reason, lost AND status <> 'foreign' AS lost, count, detail, source_file, line
    FROM coverage
    WHERE status NOT IN ('read', 'refused', 'missing')
),

named AS (
    SELECT
        reader, reason, lost, detail, sum(count)::BIGINT AS count,
        row_number() OVER (PARTITION BY reader, reason, lost ORDER BY sum(count) DESC, detail) AS place
    FROM passed
    WHERE detail <> ''
    GROUP BY reader, reason, lost, detail
),

placed AS (
    SELECT
        reader, reason, lost,
        source_file || CASE
            WHEN line <= 0 THEN ''
            WHEN suffix(source_file, '.sqlite') OR suffix(source_file, '.db') THEN ', record ' || line
            ELSE ', line ' || line
        END AS place,
        row_number() OVER (PARTITION BY reader, reason, lost ORDER BY source_file, line) AS number
    FROM passed
    GROUP BY reader, reason, lost, source_file, line
),

names AS (
    SELECT reader, reason, lost, map(list(detail ORDER BY place), list(count ORDER BY place)) AS details
    FROM named
    WHERE place <= 6
    GROUP BY reader, reason, lost
),

places AS (
    SELECT reader, reason, lost, list(place ORDER BY number) AS places
    FROM placed
    WHERE number <= 6
    GROUP BY reader, reason, lost
),

counted AS (
    SELECT
        reader, reason, lost, sum(count)::BIGINT AS count, count(DISTINCT source_file) AS files
    FROM passed
    GROUP BY reader, reason, lost
)

SELECT c.reader, c.reason, c.lost, c.count, c.files, p.places, n.details
FROM counted AS c
INNER JOIN places AS p USING (reader, reason, lost)
LEFT JOIN names AS n USING (reader, reason, lost)
ORDER BY c.lost DESC, c.count DESC, c.reader, c.reason
