-- What commits did to rule files, against their first parents.
-- grain:  one row a rule file that a commit changed
-- reads:  stored_rule_changes, history_facts
-- params: none
-- into:   view rule_changes
SELECT c.repository, c.commit_id, c.path, c.change, c.blob_id, c.link
FROM stored_rule_changes AS c
INNER JOIN history_facts AS f ON f.scan = c.scan
QUALIFY row_number() OVER (
    PARTITION BY c.repository, c.commit_id, c.path ORDER BY f.live DESC, c."row" DESC
) = 1
