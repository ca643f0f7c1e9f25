-- Where an agent's context was replaced by a summary, each place once.
-- grain:  one row a compaction
-- reads:  stored_compactions, session_numbers, ranks, keys, canon, scan_facts, moved
-- params: none
-- into:   view compactions
WITH seen AS (
    SELECT
        c.*, n.session, r.rank, f.source_file,
        CASE
            WHEN c.happened IS NULL THEN c.compaction_id
            ELSE concat_ws('|', epoch_us(c.happened), c.trigger, c.tokens_before)
        END AS same
    FROM stored_compactions AS c
    INNER JOIN session_numbers AS n ON n.session_id = c.session_id
    INNER JOIN ranks AS r ON r.scan = c.scan
    INNER JOIN scan_facts AS f ON f.scan = c.scan
),

once AS (
    SELECT *
    FROM seen
    QUALIFY row_number() OVER (PARTITION BY same ORDER BY session, rank, "row") = 1
),

placed AS (
    SELECT o."row", min_by(c.position, k.number) AS position
    FROM once AS o
    INNER JOIN keys AS k ON k.scan = o.scan AND k.session = o.session AND k.number >= o.number
    INNER JOIN canon AS c ON c.copy = k.copy AND c.session = k.session
    GROUP BY o."row"
),

ends AS (
    SELECT session, count(*) AS messages FROM canon GROUP BY session
)

SELECT
    o.compaction_id, o.session_id, o.trigger, coalesce(p.position, e.messages, 0) AS number,
    o.tokens_before, coalesce(m.new_id, o.kept_from) AS kept_from, o.happened, o.active, o.line,
    o.source_file
FROM once AS o
LEFT JOIN placed AS p ON p."row" = o."row"
LEFT JOIN ends AS e ON e.session = o.session
LEFT JOIN moved AS m ON m.old_id = o.kept_from
