// Counts a page of a collection's key elements by state and degree, with the first names of each.
MATCH (k:KeyElement)
WHERE k.collection = $collection AND k.id > $after
WITH k ORDER BY k.collection, k.id LIMIT $limit
WITH k, COUNT { (k)<-[:HAS_KEY_ELEMENT]-() } AS held, COUNT { (k)-[:MERGED_INTO]->() } AS merged
// A hub's facts are not looked at one by one: what is being written counts for it as well.
WITH k, merged, CASE
    WHEN held > $facts_scanned THEN held
    ELSE COUNT { (k)<-[:HAS_KEY_ELEMENT]-(f)
      WHERE EXISTS { (f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() } }
  END AS degree
WITH k, merged, degree,
  COLLECT { MATCH (k)-[r]->() WHERE NOT type(r) IN ['MERGED_INTO', 'MAY_MEAN'] RETURN type(r) } AS related,
  CASE
    WHEN merged > 0 THEN 'merged'
    WHEN degree > 0 THEN 'live'
    WHEN EXISTS { (k)<-[:HAS_KEY_ELEMENT]-()<-[:HAS_ATOMIC_FACT]-()<-[:HAS_HIDDEN_CHUNK]-() } THEN 'hidden'
    ELSE 'orphan'
  END AS state
RETURN state, degree, count(*) AS nodes, collect(related) AS related,
  collect([label IN labels(k) WHERE label <> 'KeyElement']) AS labels, max(k.id) AS last,
  collect({id: k.id, name: k.name, aliases: k.aliases})[..$hubs] AS named
