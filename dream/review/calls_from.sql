-- The calls of a run from some calls on: each of these with what was called after it.
-- grain:  one row a call in such a row of calls
-- reads:  calls
-- params: ids (list of text, call ids), count (calls of each row, itself the first)
-- into:   Called
SELECT first.call_id AS first_id, later.call_id, later.tool, later.arguments, later.status
FROM calls AS first
INNER JOIN calls AS later
    ON
        later.session_id = first.session_id AND later.run_id = first.run_id
        AND (later.number, later.place, later.call_id) >= (first.number, first.place, first.call_id)
WHERE list_contains($ids, first.call_id)
QUALIFY
    row_number() OVER (
        PARTITION BY first.call_id ORDER BY later.number, later.place, later.call_id
    ) <= $count
ORDER BY first.call_id, later.number, later.place, later.call_id
