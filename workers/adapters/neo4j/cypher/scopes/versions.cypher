// Returns which contents of some documents are live; null while something of an older version is left.
MATCH (d:Document)
WHERE d.id IN $ids AND d.live > 0
RETURN d.id AS id, d.live AS live, d.live_hash AS live_hash, coalesce(d.live_since, 0) AS since,
  CASE WHEN EXISTS { (d)-[:HAS_HIDDEN_CHUNK]->() } THEN null ELSE toString(d.live) + ' ' + coalesce(d.live_hash, '') END AS contents
