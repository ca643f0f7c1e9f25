-- Which commit a checkout had from when on.
-- grain:  one row a move
-- reads:  head_moves
-- params: none
-- into:   HeadMove
SELECT repository, worktree, happened, commit_id, branch, anchor, 0 AS line
FROM head_moves
ORDER BY repository, worktree, happened, number
