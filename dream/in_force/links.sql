-- Commits that came of sessions.
-- grain:  one row a commit of a checkpoint of a session in a repository
-- reads:  commits, checkpoints
-- params: session (text, a session's id; '' for all)
-- into:   Link
SELECT
    c.session_id, c.checkpoint_id, k.happened AS kept, c.commit_id, c.authored, c.committed,
    c.repository
FROM commits AS c
INNER JOIN checkpoints AS k
    ON k.checkpoint_id = c.checkpoint_id AND k.session_id = c.session_id
WHERE $session = '' OR c.session_id = $session
ORDER BY c.session_id, kept NULLS LAST, c.committed NULLS LAST, c.commit_id, c.repository
