-- Every project that sessions belong to.
-- grain:  one row a project
-- reads:  sessions
-- params: none
-- into:   Place
SELECT project_key AS key, min(project_name) AS name, min(project_root) AS root
FROM sessions
WHERE project_key <> ''
GROUP BY project_key
ORDER BY project_key
