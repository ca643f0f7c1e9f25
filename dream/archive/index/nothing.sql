-- No row, with the columns of a table that no part holds yet.
-- grain:  no row
-- reads:  none
-- params: shape (JSON: a list of one object, column to type)
-- into:   view stored_<table>
SELECT unnest(from_json('[]', $shape), recursive := true)
