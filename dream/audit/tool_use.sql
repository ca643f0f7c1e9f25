-- How often each run called each tool. Calls that a person refused, or that a parallel failure
-- dropped, did not run and could raise no error.
-- grain:  one row a run and tool
-- reads:  calls
-- params: none
-- into:   ToolUse
SELECT run_id, lower(tool) AS tool, count(*) AS calls
FROM calls
WHERE status NOT IN ('refused', 'sibling')
GROUP BY run_id, lower(tool)
ORDER BY run_id, tool
