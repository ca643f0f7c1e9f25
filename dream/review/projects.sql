-- Every project that sessions belong to.
-- grain:  one row a project
-- reads:  sessions
-- params: none
-- into:   Place
SELECT project_key AS key, any_value(project_name) AS name, any_value(project_root) AS root
FROM sessions
WHERE project_key <> ''
GROUP BY project_key
ORDER BY project_key
