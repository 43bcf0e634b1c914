// Returns a page of all collections' merges by id.
MATCH (m:ElementMerge)
WHERE m.id > $after
RETURN m {.*} AS merge ORDER BY m.id LIMIT $limit
