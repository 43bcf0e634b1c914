// Returns which contents of each document of a collection are live; null while something of an older version is left.
MATCH (d:Document)
WHERE d.collection = $collection AND d.live > 0
RETURN d.id AS id, d {.*} AS document,
  CASE WHEN EXISTS { (d)-[:HAS_HIDDEN_CHUNK]->() } THEN null ELSE toString(d.live) + ' ' + coalesce(d.live_hash, '') END AS contents
ORDER BY id
