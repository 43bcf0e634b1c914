// Returns a page of a collection's documents by id.
MATCH (d:Document)
WHERE d.collection = $collection AND d.id > $after
RETURN d {.*} AS document ORDER BY d.collection, d.id LIMIT $limit
