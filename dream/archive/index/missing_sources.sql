-- Sources of dream.yaml that could not be looked into on the last night.
-- grain:  one row a source
-- reads:  none
-- params: source, detail, night (lists, an entry a source)
-- into:   table missing_sources
SELECT
    unnest($source::VARCHAR[]) AS source,
    unnest($detail::VARCHAR[]) AS detail,
    unnest($night::DATE[]) AS night
