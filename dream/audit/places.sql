-- The file that holds the first message of each of some runs.
-- grain:  one row a run
-- reads:  messages
-- params: ids (list of text, run ids)
-- into:   PlaceOfRun
SELECT run_id, arg_min(source_file, number) AS source_file
FROM messages
WHERE run_id IN (SELECT unnest($ids::VARCHAR[]))
GROUP BY run_id
ORDER BY run_id
