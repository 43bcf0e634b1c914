// Returns which version of each document of a collection is live.
MATCH (d:Document)
WHERE d.collection = $collection AND d.live > 0
RETURN d.id AS id, d.live AS live, d {.*} AS document ORDER BY id
