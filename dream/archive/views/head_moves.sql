-- Which commit a checkout had from when on, also where git has forgotten it since.
-- grain:  one row a move
-- reads:  stored_head_moves, history_facts
-- params: none
-- into:   view head_moves
SELECT
    m.repository, m.worktree, m.happened, m.commit_id, m.branch, m.anchor,
    m."row" AS number
FROM stored_head_moves AS m
INNER JOIN history_facts AS f ON f.scan = m.scan
WHERE f.live
