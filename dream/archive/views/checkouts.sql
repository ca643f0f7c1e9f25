-- Repositories of this machine as they were when last looked at, by their checkouts.
-- grain:  one row a checkout; a bare repository has one without a folder
-- reads:  stored_checkouts, history_facts
-- params: none
-- into:   view checkouts
SELECT c.repository, c.root, c.main, c.default_branch, c.cut
FROM stored_checkouts AS c
INNER JOIN history_facts AS f ON f.scan = c.scan
WHERE f.live
