-- Files of sources that a reader took, with the nights that saw them. gone: the last night that
-- looked did not find it; last_night is then the last one that did.
-- grain:  one row a file
-- reads:  file_facts
-- params: none
-- into:   view files
SELECT source_file, reader, first_night, last_night, gone, records, messages
FROM file_facts
WHERE status IN ('read', 'partly', 'refused') AND reader <> ''
