-- A number for each run, to join by.
-- grain:  one row a run id
-- reads:  stored_messages, stored_runs
-- params: none
-- into:   table run_numbers
WITH known AS (
    SELECT run_id FROM stored_messages
    UNION
    SELECT run_id FROM stored_runs
)

SELECT
    row_number() OVER (ORDER BY run_id) AS run,
    run_id,
    starts_with(run_id, 'run2:') AS archived
FROM known
ORDER BY run
