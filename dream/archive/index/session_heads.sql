-- Each session once, with what the best-believed source says of it and where it came from.
-- A session that begins with another one's messages was made from the one that owns the last of
-- them, also when it does not say so itself.
-- grain:  one row a session
-- reads:  stored_sessions, session_numbers, ranks, keys, owners, canon, places
-- params: none
-- into:   table session_heads
WITH said AS (
    SELECT
        n.session,
        arg_min(s.agent, r.rank) AS agent,
        arg_min(s.kind, r.rank) FILTER (WHERE s.kind <> 'unknown') AS kind,
        arg_min(s.cwd, r.rank) FILTER (WHERE s.cwd <> '') AS cwd,
        arg_min(s.git_branch, r.rank) FILTER (WHERE s.git_branch IS NOT NULL) AS git_branch,
        arg_min(s.title, r.rank) FILTER (WHERE s.title IS NOT NULL) AS title,
        arg_min(s.parent_id, r.rank) FILTER (WHERE s.parent_id IS NOT NULL) AS parent_id,
        arg_min(s.agent_version, r.rank) FILTER (WHERE s.agent_version IS NOT NULL)
            AS agent_version,
        arg_min(s.line, r.rank) AS line,
        bool_or(r.live) AS live
    FROM stored_sessions AS s
    INNER JOIN session_numbers AS n ON n.session_id = s.session_id
    INNER JOIN ranks AS r ON r.scan = s.scan
    GROUP BY n.session
),

borrowed AS (
    SELECT
        k.session, k.number, k.scan, k.session = c.session AS own, c.session AS owner,
        min(r.rank) OVER (PARTITION BY k.session) AS best, r.rank
    FROM keys AS k
    INNER JOIN canon AS c ON c.copy = k.copy
    INNER JOIN ranks AS r ON r.scan = k.scan
    WHERE k.session IN (
        SELECT f.session
        FROM keys AS f
        INNER JOIN owners AS o ON o.copy = f.copy
        WHERE f.session <> o.session
    )
),

began AS (
    SELECT session, min(number) FILTER (WHERE own) AS first_own
    FROM borrowed
    WHERE rank = best
    GROUP BY session
),

origin AS (
    SELECT b.session, arg_max(b.owner, b.number) AS owner
    FROM borrowed AS b
    INNER JOIN began AS g ON g.session = b.session
    WHERE b.rank = b.best AND NOT b.own AND (g.first_own IS NULL OR b.number < g.first_own)
    GROUP BY b.session
),

spoken AS (
    SELECT session, count(*) AS messages, count(*) FILTER (WHERE prompt) AS human_prompts
    FROM canon
    GROUP BY session
)

SELECT
    n.session, n.session_id, coalesce(s.agent, split_part(n.session_id, ':', 1)) AS agent,
    coalesce(s.kind, 'unknown') AS kind, coalesce(s.cwd, '') AS cwd, s.git_branch, s.title,
    coalesce(s.parent_id, p.session_id) AS parent_id, n.started, n.ended, s.agent_version,
    coalesce(s.line, 0) AS line, coalesce(j.key, '') AS project_key,
    coalesce(j.name, 'scope unknown') AS project_name, j.root AS project_root,
    coalesce(m.human_prompts, 0) AS human_prompts, coalesce(m.messages, 0) AS messages
FROM session_numbers AS n
LEFT JOIN said AS s ON s.session = n.session
LEFT JOIN origin AS o ON o.session = n.session
LEFT JOIN session_numbers AS p ON p.session = o.owner
LEFT JOIN spoken AS m ON m.session = n.session
LEFT JOIN places AS j ON j.cwd = s.cwd
-- Of a reading that a newer one replaced, only sessions whose messages are kept stay known.
WHERE s.live OR n.session IN (SELECT session FROM keys)
ORDER BY n.session
