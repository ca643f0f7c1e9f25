-- Secrets that were taken out before anything was stored, each once however often it stood there.
-- grain:  one row a kind
-- reads:  removals
-- params: none
-- into:   Removed
SELECT kind, count(DISTINCT mark) AS secrets
FROM removals
GROUP BY kind
ORDER BY kind
