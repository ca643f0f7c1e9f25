-- What the archive holds, each thing once.
-- grain:  one row
-- reads:  sessions, runs, messages, calls, coverage
-- params: none
-- into:   Totals
SELECT
    (SELECT count(DISTINCT source_file) FROM coverage WHERE status <> 'foreign') AS sources,
    (SELECT count(*) FROM sessions) AS sessions,
    (SELECT count(DISTINCT project_key) FROM sessions WHERE project_key <> '') AS projects,
    (SELECT count(*) FROM runs) AS runs,
    (SELECT count(*) FROM messages) AS messages,
    (SELECT count(*) FROM messages WHERE role = 'human') AS human,
    (SELECT count(*) FROM calls) AS calls,
    (SELECT count(*) FROM calls WHERE status = 'error') AS failed,
    coalesce((SELECT strftime(min(started), '%Y-%m-%d') FROM sessions), '') AS first,
    coalesce((SELECT strftime(max(coalesce(ended, started)), '%Y-%m-%d') FROM sessions), '') AS last
