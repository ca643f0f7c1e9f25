-- From when on branches had which rule files. gone: the branch is deleted.
-- grain:  one row a branch and anchor
-- reads:  stored_standings, history_facts
-- params: none
-- into:   view standings
SELECT s.repository, s.branch, s.number, s.anchor, s.since, f.gone
FROM stored_standings AS s
INNER JOIN history_facts AS f ON f.scan = s.scan
WHERE f.live
