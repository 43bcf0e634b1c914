// Counts a page of a collection's atomic facts by state, those without key elements or grounding apart.
MATCH (f:AtomicFact)
WHERE f.collection = $collection AND f.id > $after
WITH f ORDER BY f.collection, f.id LIMIT $limit
WITH f, COUNT { (f)-[:HAS_KEY_ELEMENT]->() } AS elements,
  EXISTS { (f)<-[:HAS_ATOMIC_FACT {grounded: true}]-()<-[:HAS_CHUNK]-() } AS grounded
WITH f, elements, grounded,
  CASE
    WHEN grounded OR EXISTS { (f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() } THEN 'live'
    WHEN EXISTS { (f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_HIDDEN_CHUNK]-() } THEN 'hidden'
    ELSE 'orphan'
  END AS state
RETURN state, elements = 0 AS bare, grounded, count(*) AS nodes, sum(elements) AS elements,
  max(f.id) AS last, collect(f.id)[..$examples] AS examples
