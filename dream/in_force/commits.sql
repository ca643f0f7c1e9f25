-- Commits that changed rule files, or that name checkpoints.
-- grain:  one row a commit of a repository
-- reads:  rule_commits
-- params: none
-- into:   Commit
SELECT
    commit_id, repository, authored, committed, subject, checkpoints, anchor, before, 0 AS line
FROM rule_commits
ORDER BY repository, commit_id
