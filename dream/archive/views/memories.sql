-- Entries of memory ledgers, each once: a fork carries its parent's.
-- grain:  one row an entry of a ledger
-- reads:  stored_memories, session_numbers, ranks, scan_facts, moved
-- params: none
-- into:   view memories
WITH once AS (
    SELECT m.*, f.source_file
    FROM stored_memories AS m
    INNER JOIN session_numbers AS n ON n.session_id = m.session_id
    INNER JOIN ranks AS r ON r.scan = m.scan
    INNER JOIN scan_facts AS f ON f.scan = m.scan
    QUALIFY row_number() OVER (
        PARTITION BY
            m.kind, m.ledger_id, m.text, m.happened,
            CASE WHEN m.happened IS NULL THEN m.memory_id END
        ORDER BY n.session, r.rank, m."row"
    ) = 1
),

pointed AS (
    SELECT
        s."row",
        list(coalesce(v.new_id, s.source) ORDER BY s.place) AS sources
    FROM (
        SELECT "row", unnest(sources) AS source, generate_subscripts(sources, 1) AS place
        FROM once
    ) AS s
    LEFT JOIN moved AS v ON v.old_id = s.source
    GROUP BY s."row"
)

SELECT
    o.memory_id, o.session_id, o.kind, o.ledger_id, o.text, o.status, o.visible,
    coalesce(p.sources, []) AS sources, o.supports, o.relevance, o.covers_up_to, o.stated,
    o.happened, o.line, o.source_file
FROM once AS o
LEFT JOIN pointed AS p ON p."row" = o."row"
