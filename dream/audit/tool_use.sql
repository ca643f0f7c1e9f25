-- How often each run called each tool, and how many of these calls failed. Calls that a person refused, or that a parallel failure
-- dropped, did not run and could raise no error.
-- grain:  one row a run and tool
-- reads:  calls
-- params: none
-- into:   ToolUse
SELECT
    run_id, lower(tool) AS tool, count(*) AS calls,
    count(*) FILTER (WHERE status = 'error') AS failed
FROM calls
WHERE status NOT IN ('refused', 'sibling')
GROUP BY run_id, lower(tool)
ORDER BY run_id, tool
