-- Which commits came of which sessions: those that name a checkpoint of theirs, and those that the
-- checkpoint itself names. Times are not known of a commit that we never saw.
-- grain:  one row a commit of a checkpoint of a session
-- reads:  checkpoints, rule_commits
-- params: none
-- into:   view commits
WITH named AS (
    SELECT repository, commit_id, authored, committed, unnest(checkpoints) AS checkpoint_id
    FROM rule_commits
)

SELECT
    c.session_id, c.checkpoint_id, n.commit_id, n.authored, n.committed, n.repository
FROM checkpoints AS c
INNER JOIN named AS n ON n.checkpoint_id = c.checkpoint_id
UNION
SELECT
    c.session_id, c.checkpoint_id, c.commit_id, k.authored, k.committed,
    coalesce(k.repository, c.repository)
FROM checkpoints AS c
LEFT JOIN rule_commits AS k ON k.commit_id = c.commit_id
WHERE c.commit_id IS NOT NULL
