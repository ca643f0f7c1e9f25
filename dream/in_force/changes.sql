-- What commits did to rule files.
-- grain:  one row a rule file that a commit changed
-- reads:  rule_changes
-- params: none
-- into:   RuleChange
SELECT commit_id, repository, path, change, blob_id, link, 0 AS line
FROM rule_changes
ORDER BY repository, commit_id, path
