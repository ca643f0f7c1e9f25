-- What the archive holds, each thing once.
-- grain:  one row
-- reads:  sessions, runs, messages, calls, compactions, coverage
-- params: none
-- into:   Totals
WITH replies AS (
    SELECT session_id, reply_id, max(tokens_in) AS tokens_in, max(tokens_out) AS tokens_out
    FROM messages
    WHERE reply_id IS NOT NULL
    GROUP BY session_id, reply_id
),

told AS (
    SELECT
        count(*) AS replies,
        coalesce(sum(tokens_in), 0)::BIGINT AS tokens_in,
        coalesce(sum(tokens_out), 0)::BIGINT AS tokens_out,
        count(*) FILTER (tokens_in IS NULL AND tokens_out IS NULL) AS untold
    FROM replies
),

said AS (
    SELECT
        count(*) AS messages,
        count(*) FILTER (role = 'human') AS human,
        count(*) FILTER (kind = 'api_error') AS api_errors,
        count(*) FILTER (kind = 'interrupt') AS interruptions,
        count(*) FILTER (NOT active) AS abandoned
    FROM messages
),

done AS (
    SELECT
        count(*) AS calls,
        count(*) FILTER (status = 'error') AS failed,
        count(*) FILTER (status = 'unanswered') AS unanswered,
        count(*) FILTER (status = 'refused') AS refused
    FROM calls
),

seen AS (
    SELECT
        count(*) AS sessions,
        count(DISTINCT project_key) FILTER (project_key <> '') AS projects,
        coalesce(strftime(min(started), '%Y-%m-%d'), '') AS first,
        coalesce(strftime(max(coalesce(ended, started)), '%Y-%m-%d'), '') AS last
    FROM sessions
)

SELECT
    (SELECT count(DISTINCT source_file) FROM coverage WHERE status <> 'foreign') AS sources,
    seen.*,
    (SELECT count(*) FROM runs) AS runs,
    said.*,
    done.*,
    told.*,
    (SELECT count(*) FROM compactions) AS compactions
FROM seen, said, done, told
