-- Runs with all that may tell where they worked. No time where nothing of a run has one.
-- grain:  one row a run
-- reads:  runs, sessions, checkpoints
-- params: run (text, a run's id; '' for all)
-- into:   Place
WITH kept AS (
    SELECT
        session_id, arg_min(branch, happened) AS branch,
        coalesce(arg_min(repository, happened) FILTER (WHERE repository <> ''), '') AS repository
    FROM checkpoints
    GROUP BY session_id
)

SELECT
    r.run_id, r.session_id, coalesce(r.started, s.started) AS started,
    s.started AS session_started, s.cwd, coalesce(s.git_branch, k.branch) AS git_branch,
    s.project_key, s.project_name, s.project_root, coalesce(k.repository, '') AS kept_in
FROM runs AS r
INNER JOIN sessions AS s ON s.session_id = r.session_id
LEFT JOIN kept AS k ON k.session_id = r.session_id
WHERE $run = '' OR r.run_id = $run
ORDER BY r.run_id
