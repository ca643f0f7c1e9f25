-- Folders that sessions ran in, and the project each belongs to.
-- grain:  one row a folder
-- reads:  none
-- params: cwd, key, name, root (lists, an entry a folder)
-- into:   table places
SELECT
    unnest($cwd::VARCHAR[]) AS cwd,
    unnest($key::VARCHAR[]) AS key,
    unnest($name::VARCHAR[]) AS name,
    unnest($root::VARCHAR[]) AS root
