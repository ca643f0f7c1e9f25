-- What is known to have been worked, and whether its words are here. A run that its own archive has
-- deleted before we read it is known by its name and the time it was deleted, not by its own.
-- grain:  one row a session, or a deleted run that was never read
-- reads:  sessions, deletions, runs
-- params: none
-- into:   Known
SELECT session_id AS name, started AS began, messages > 0 AS readable, project_key
FROM sessions
UNION ALL
SELECT d.run_id, d.deleted, false, ''
FROM deletions AS d
LEFT JOIN runs AS r ON r.run_id = d.run_id
WHERE r.run_id IS NULL
ORDER BY began NULLS FIRST, name
