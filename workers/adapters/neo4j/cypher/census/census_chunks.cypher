// Counts a page of a collection's chunks by state, those without facts apart.
MATCH (c:Chunk)
WHERE c.collection = $collection AND c.id > $after
WITH c ORDER BY c.collection, c.id LIMIT $limit
WITH c, COUNT { (c)-[:HAS_ATOMIC_FACT]->() } AS facts, COUNT { (c)-[:NEXT]->() } AS followed,
  CASE
    WHEN EXISTS { (c)<-[:HAS_CHUNK]-() } THEN 'live'
    WHEN EXISTS { (c)<-[:HAS_HIDDEN_CHUNK]-() } THEN 'hidden'
    ELSE 'orphan'
  END AS state
RETURN state, facts = 0 AS bare, count(*) AS nodes, sum(facts) AS facts, sum(followed) AS followed,
  max(c.id) AS last, collect(c.id)[..$examples] AS examples
