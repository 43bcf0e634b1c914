// Returns a page of all collections' documents by id.
MATCH (d:Document)
WHERE d.id > $after
RETURN d {.*} AS document ORDER BY d.id LIMIT $limit
