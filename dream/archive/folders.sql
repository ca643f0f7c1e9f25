-- The folders that sessions ran in.
-- grain:  one row a folder
-- reads:  stored_sessions
-- params: none
-- into:   Folder
SELECT DISTINCT cwd FROM stored_sessions ORDER BY cwd
