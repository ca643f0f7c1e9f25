-- Messages in the order of their session, each with the run it belongs to.
-- A session read from several files is put in order by time, and never against the order of a file.
-- Where a run archive recorded the session, its runs hold: what only the session's file has goes
-- to the run around it.
-- grain:  one row a message
-- reads:  owners, keys, ranks
-- params: none
-- into:   table canon
WITH spoken AS (
    SELECT
        o.copy, o.session, o.copies, o."row", o.archived_run, o.archived_name,
        k.scan, k.number, k.run, k.happened, k.active, k.prompt, k.message, r.rank
    FROM owners AS o
    INNER JOIN keys AS k ON k."row" = o."row"
    INNER JOIN ranks AS r ON r.scan = k.scan
),

timed AS (
    SELECT
        *,
        max(happened) OVER (PARTITION BY session, scan ORDER BY number, "row") AS reached
    FROM spoken
),

placed AS (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY session ORDER BY reached NULLS FIRST, rank, number, "row"
        ) - 1 AS position
    FROM timed
),

recorded AS (
    SELECT DISTINCT session FROM owners WHERE archived_run IS NOT NULL
),

around AS (
    SELECT
        "row",
        coalesce(
            last_value(archived_run IGNORE NULLS) OVER (
                in_cut ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
            ),
            first_value(archived_run IGNORE NULLS) OVER (
                in_cut ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
            )
        ) AS run
    FROM placed
    WHERE session IN (SELECT session FROM recorded)
    WINDOW in_cut AS (PARTITION BY session, run ORDER BY position)
)

SELECT
    p.copy, p.session, p.copies, p."row", p.scan, p.number, p.position, p.run AS cut,
    coalesce(p.archived_run, a.run, p.run) AS run,
    p.archived_name, p.active, p.prompt, p.message, p.happened
FROM placed AS p
LEFT JOIN around AS a ON a."row" = p."row"
