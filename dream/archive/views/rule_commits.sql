-- Commits that changed rule files, or that name checkpoints. anchor: the commit whose rule files
-- stand there, itself or an ancestor; before: the same of its first parent; '' when there are none.
-- grain:  one row a commit of a repository
-- reads:  stored_commits, history_facts
-- params: none
-- into:   view rule_commits
SELECT
    c.repository, c.commit_id, c.authored, c.committed, c.subject, c.checkpoints, c.anchor, c.before
FROM stored_commits AS c
INNER JOIN history_facts AS f ON f.scan = c.scan
QUALIFY row_number() OVER (
    PARTITION BY c.repository, c.commit_id ORDER BY f.live DESC, c."row" DESC
) = 1
