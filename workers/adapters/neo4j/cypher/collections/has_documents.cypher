// Finds one live document of a collection, if there is any.
MATCH (d:Document {collection: $collection})
WHERE d.live > 0
RETURN d.id AS id LIMIT 1
