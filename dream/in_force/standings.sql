-- From when on branches had which rule files, also branches that are deleted since.
-- grain:  one row a branch and anchor
-- reads:  standings
-- params: none
-- into:   Standing
SELECT repository, branch, number, anchor, since, 0 AS line
FROM standings
ORDER BY repository, branch, number
