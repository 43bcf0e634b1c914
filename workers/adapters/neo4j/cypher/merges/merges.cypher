// Returns a page of a collection's merges by id.
MATCH (m:ElementMerge)
WHERE m.collection = $collection AND m.id > $after
RETURN m {.*} AS merge ORDER BY m.collection, m.id LIMIT $limit
