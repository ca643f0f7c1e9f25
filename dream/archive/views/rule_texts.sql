-- Texts of rule files, each once, without secrets.
-- grain:  one row a text
-- reads:  stored_rule_texts
-- params: none
-- into:   view rule_texts
SELECT blob_id, text
FROM stored_rule_texts
QUALIFY row_number() OVER (PARTITION BY blob_id ORDER BY "row") = 1
