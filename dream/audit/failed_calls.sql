-- Recorded calls by their ids.
-- grain:  one row a tool call
-- reads:  calls, sessions
-- params: ids (list of text, call ids)
-- into:   RecordedCall
SELECT
    c.call_id, c.session_id, c.run_id, c.message_id,
    s.project_name AS project,
    s.project_key,
    c.tool, c.arguments,
    c.status = 'error' AS failed,
    c.happened,
    c.status IN ('refused', 'sibling') AS refused
FROM calls AS c
INNER JOIN sessions AS s ON s.session_id = c.session_id
WHERE c.call_id IN (SELECT unnest($ids::VARCHAR[]))
ORDER BY c.session_id, c.number, c.place, c.call_id
