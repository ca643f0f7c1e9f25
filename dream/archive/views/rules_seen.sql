-- Rule files that no commit holds, as they lay there on some night. gone: not any more, or not so.
-- grain:  one row a text of a file
-- reads:  stored_rules_seen, history_facts
-- params: none
-- into:   view rules_seen
SELECT s.root, s.path, s.blob_id, s.changed, f.gone
FROM stored_rules_seen AS s
INNER JOIN history_facts AS f ON f.scan = s.scan
QUALIFY row_number() OVER (
    PARTITION BY s.root, s.path, s.blob_id ORDER BY f.live DESC, s."row" DESC
) = 1
