-- Every stored message that still counts, by its keys alone: no text is read for it.
-- A message of an older reading counts when no newer reading of the same file has its id or its
-- bytes: its file was rewritten or its run deleted, and we hold the last copy.
-- grain:  one row a stored message
-- reads:  stored_messages, scan_facts, session_numbers, run_numbers
-- params: none
-- into:   table keys
WITH stored AS (
    SELECT
        m."row", m.scan, f.file, f.live,
        s.session, r.run, r.archived, m.number, m.happened, m.name, m.active,
        m.role = 'human' AND m.kind = 'prompt' AS prompt,
        md5_number(m.copy_key) AS copy,
        md5_number(m.message_id) AS message
    FROM stored_messages AS m
    INNER JOIN scan_facts AS f ON f.scan = m.scan
    INNER JOIN session_numbers AS s ON s.session_id = m.session_id
    INNER JOIN run_numbers AS r ON r.run_id = m.run_id
),

twice AS (
    SELECT DISTINCT file FROM scan_facts WHERE NOT live
),

still AS (
    SELECT f.file, md5_number(m.message_id) AS message, md5_number(m.digest) AS bytes
    FROM stored_messages AS m
    INNER JOIN scan_facts AS f ON f.scan = m.scan
    WHERE f.live AND f.file IN (SELECT file FROM twice)
),

older AS (
    SELECT o.*
    FROM stored AS o
    INNER JOIN stored_messages AS m ON m."row" = o."row"
    WHERE
        NOT o.live
        AND (o.file, o.message) NOT IN (SELECT file, message FROM still)
        AND (o.file, md5_number(m.digest)) NOT IN (SELECT file, bytes FROM still)
    QUALIFY row_number() OVER (PARTITION BY o.file, o.message ORDER BY o.scan DESC) = 1
)

SELECT * FROM stored WHERE live
UNION ALL
SELECT * FROM older
