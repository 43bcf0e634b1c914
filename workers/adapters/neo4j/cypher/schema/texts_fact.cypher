// Returns a page of a collection's facts by id, with the text that is embedded and whether readers see it.
MATCH (n:AtomicFact)
WHERE n.collection = $collection AND n.id > $after
WITH n ORDER BY n.collection, n.id LIMIT $limit
RETURN n.id AS id, n.text AS text, EXISTS { (n)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() } AS live
ORDER BY id
