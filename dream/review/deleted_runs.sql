-- When runs were deleted by their own archive.
-- grain:  one row a run
-- reads:  deletions
-- params: runs (list of text, run ids)
-- into:   DeletedRun
SELECT run_id, any_value(name) AS name, min(deleted) AS deleted, any_value(reason) AS reason
FROM deletions
WHERE run_id IN (SELECT unnest($runs))
GROUP BY run_id
ORDER BY run_id
