-- Runs with what is known of each, and the beginning of the request it began with: the person's
-- words, else what a program last put in before the first reply. Runs that no model answered are
-- no work and left out.
-- path: calls that ran on the branch that was kept; what a person refused or a parallel failure
-- dropped did not run. tokens: NULL where no reply tells any, which is not zero.
-- grain:  one row a run
-- reads:  runs, sessions, messages, calls
-- params: since (timestamp, UTC)
-- into:   WorkedRun
WITH spoken AS (
    SELECT
        run_id,
        min(number) FILTER (WHERE role = 'assistant') AS first_reply,
        arg_min(message_id, number) FILTER (WHERE role = 'human' AND kind = 'prompt') AS prompt,
        arg_min(model, number) FILTER (WHERE role = 'assistant' AND model IS NOT NULL) AS model,
        count(DISTINCT coalesce(reply_id, message_id))
            FILTER (WHERE role = 'assistant' AND active) AS turns,
        sum(tokens_in)::BIGINT AS tokens_in,
        sum(tokens_out)::BIGINT AS tokens_out,
        min(happened) AS first_happened, max(happened) AS last_happened
    FROM messages
    GROUP BY run_id
),

put_in AS (
    SELECT m.run_id, arg_max(m.message_id, m.number) AS message_id
    FROM messages AS m
    INNER JOIN spoken AS s ON s.run_id = m.run_id
    WHERE
        s.prompt IS NULL AND m.number < s.first_reply
        AND m.role = 'injected' AND m.kind IN ('meta', 'subagent', 'summary')
    GROUP BY m.run_id
),

called AS (
    SELECT
        run_id, count(*) AS calls,
        count(*) FILTER (WHERE active AND status NOT IN ('refused', 'sibling')) AS path,
        count(*) FILTER (WHERE status = 'error') AS failed
    FROM calls
    GROUP BY run_id
)

SELECT
    r.run_id, r.session_id, r.name, r.number, r.state,
    coalesce(r.started, s.first_happened, e.started) AS started,
    coalesce(s.last_happened, r.ended) AS ended,
    e.started AS session_started,
    e.agent, e.agent_version, e.kind AS session_kind, e.parent_id IS NOT NULL AS continued,
    e.project_key, e.project_name, e.cwd,
    s.model, s.turns, s.tokens_in, s.tokens_out,
    coalesce(c.path, 0) AS path, coalesce(c.calls, 0) AS calls, coalesce(c.failed, 0) AS failed,
    s.prompt IS NOT NULL AS asked,
    coalesce(left(q.text, 2000), '') AS request,
    coalesce(length(q.text), 0) AS length
FROM runs AS r
INNER JOIN sessions AS e ON e.session_id = r.session_id
INNER JOIN spoken AS s ON s.run_id = r.run_id AND s.first_reply IS NOT NULL
LEFT JOIN put_in AS p ON p.run_id = r.run_id
LEFT JOIN messages AS q ON q.message_id = coalesce(s.prompt, p.message_id)
LEFT JOIN called AS c ON c.run_id = r.run_id
WHERE coalesce(r.started, s.first_happened, e.started) >= $since
    OR coalesce(r.started, s.first_happened, e.started) IS NULL
ORDER BY r.run_id
