-- Repositories of this machine, by their checkouts.
-- grain:  one row a checkout
-- reads:  checkouts
-- params: none
-- into:   Checkout
SELECT repository, root, main, default_branch, cut, 0 AS line
FROM checkouts
ORDER BY repository, main DESC, root
