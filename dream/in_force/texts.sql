-- Texts of rule files.
-- grain:  one row a text
-- reads:  rule_texts
-- params: ids (list of text, blob ids)
-- into:   RuleText
SELECT blob_id, text, 0 AS line
FROM rule_texts
WHERE blob_id IN (SELECT unnest($ids))
ORDER BY blob_id
