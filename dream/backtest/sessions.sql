-- When the sessions of each project began, to tell for how long a proposal was looked after.
-- grain:  one row a session with a time
-- reads:  sessions
-- params: none
-- into:   Begun
SELECT session_id, project_key, started
FROM sessions
WHERE started IS NOT NULL AND messages > 0
ORDER BY started, session_id
