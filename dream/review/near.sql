-- Names of runs that are spelled nearly like one that is not there.
-- grain:  one row a name
-- reads:  runs, sightings
-- params: run (text)
-- into:   Near
SELECT r.name, count(DISTINCT s.message_id) AS messages
FROM runs AS r
LEFT JOIN sightings AS s ON s.run_id = r.run_id
WHERE r.name IS NOT NULL AND levenshtein(r.name, $run) <= 2
GROUP BY r.name, levenshtein(r.name, $run)
ORDER BY levenshtein(r.name, $run), length(r.name), r.name
LIMIT 3
