-- Everything stored that a name may mean: messages, runs, sessions, deleted runs.
-- grain:  one row a thing
-- reads:  sightings, messages, runs, sessions, deletions
-- params: ref (text, as typed), session (text before the last slash of ref, or ""), entry (text
--         after it, or ref), run (ref up to its first slash)
-- into:   Choice
WITH seen AS (
    SELECT
        copy_key, message_id, session_id, name, line,
        regexp_extract(message_id, '[^/]*$') AS native,
        split_part(session_id, ':', 2) AS session_native
    FROM sightings
),

ranked AS (
    SELECT copy_key, min(rank) AS rank
    FROM (
        SELECT
            copy_key,
            CASE
                WHEN message_id = $ref THEN 0
                WHEN name = $ref OR native = $ref THEN 1
                WHEN name IS NOT NULL AND 'm' || line = $ref THEN 1
                WHEN $session <> '' AND native = $entry
                    AND (session_id = $session OR starts_with(session_native, $session)) THEN 1
                WHEN $session = '' AND length($ref) >= 4 AND starts_with(native, $ref) THEN 2
                WHEN $session <> '' AND length($entry) >= 4 AND starts_with(native, $entry)
                    AND (session_id = $session OR starts_with(session_native, $session)) THEN 2
            END AS rank
        FROM seen
    )
    WHERE rank IS NOT NULL
    GROUP BY copy_key
),

choices AS (
    SELECT
        'message' AS kind, m.message_id AS id, r.rank, m.run_id, m.session_id, m.happened,
        m.source_file, m.role || ': ' || left(m.text, 200) AS title
    FROM ranked AS r
    INNER JOIN messages AS m ON m.copy_key = r.copy_key

    UNION ALL BY NAME
    SELECT
        'run' AS kind, run_id AS id, run_id, session_id, started AS happened, '' AS source_file,
        coalesce(name, 'run ' || number) AS title,
        CASE
            WHEN run_id = $ref THEN 0
            WHEN name = $ref THEN 1
            WHEN length($ref) >= 4 AND starts_with(split_part(run_id, ':', 2), $ref)
                AND starts_with(run_id, 'run2:') THEN 2
        END AS rank
    FROM runs

    UNION ALL BY NAME
    SELECT
        'session' AS kind, session_id AS id, '' AS run_id, session_id, started AS happened,
        '' AS source_file, coalesce(title, '') AS title,
        CASE
            WHEN session_id = $ref THEN 0
            WHEN split_part(session_id, ':', 2) = $ref THEN 1
            WHEN length($ref) >= 4 AND starts_with(split_part(session_id, ':', 2), $ref) THEN 2
        END AS rank
    FROM sessions

    UNION ALL BY NAME
    SELECT
        'deleted' AS kind, run_id AS id, run_id, '' AS session_id, deleted AS happened,
        source_file, name || ', ' || reason AS title,
        CASE
            WHEN run_id = $ref THEN 0
            WHEN name = $run THEN 1
            WHEN run_id = 'run2:' || $ref THEN 1
        END AS rank
    FROM deletions
)

SELECT kind, id, rank, run_id, session_id, happened, source_file, title
FROM choices
WHERE rank IS NOT NULL
ORDER BY rank, kind, happened, id
