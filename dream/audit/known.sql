-- What is known to have been worked, and whether its words are here. A session that holds nothing,
-- since it was only opened or its run still goes on, has lost nothing. A run that its own archive has
-- deleted before we read it is known by its name and the time it was deleted, not by its own.
-- grain:  one row a session with a run or a message, or a deleted run that was never read
-- reads:  sessions, deletions, runs
-- params: none
-- into:   Known
SELECT session_id AS name, started AS began, messages > 0 AS readable, project_key
FROM sessions
WHERE messages > 0 OR session_id IN (SELECT session_id FROM runs)
UNION ALL
SELECT d.run_id, d.deleted, false, ''
FROM deletions AS d
LEFT JOIN runs AS r ON r.run_id = d.run_id
WHERE r.run_id IS NULL
ORDER BY began NULLS FIRST, name
