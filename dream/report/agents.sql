-- What the archive holds of each agent's work, each thing once.
-- grain:  one row an agent
-- reads:  sessions, messages, calls, compactions
-- params: none
-- into:   AgentLine
WITH said AS (
    SELECT
        session_id, count(*) AS messages, count(*) FILTER (role = 'human') AS typed
    FROM messages
    GROUP BY session_id
),

done AS (
    SELECT
        session_id, count(*) AS calls, count(*) FILTER (status = 'error') AS failed
    FROM calls
    GROUP BY session_id
),

short AS (
    SELECT session_id, count(*) AS compactions FROM compactions GROUP BY session_id
)

SELECT
    s.agent, count(*) AS sessions,
    count(*) FILTER (s.kind NOT IN ('interactive', 'unknown')) AS by_programs,
    coalesce(sum(m.typed), 0)::BIGINT AS typed,
    coalesce(sum(m.messages), 0)::BIGINT AS messages,
    coalesce(sum(c.calls), 0)::BIGINT AS calls,
    coalesce(sum(c.failed), 0)::BIGINT AS failed,
    coalesce(sum(k.compactions), 0)::BIGINT AS compactions
FROM sessions AS s
LEFT JOIN said AS m ON m.session_id = s.session_id
LEFT JOIN done AS c ON c.session_id = s.session_id
LEFT JOIN short AS k ON k.session_id = s.session_id
GROUP BY s.agent
ORDER BY s.agent
