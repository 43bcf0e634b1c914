// Returns the live chunks of a collection: the server's number and id of each.
MATCH (d:Document)-[:HAS_CHUNK]->(c)
WHERE d.collection = $collection
RETURN DISTINCT id(c), c.id
