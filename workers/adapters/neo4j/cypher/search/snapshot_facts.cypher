// Returns the live facts of a collection: number, id, numbers of some chunks as facts_around finds them, of elements.
MATCH (f:AtomicFact)
WHERE f.collection = $collection
CALL (f) {
  MATCH (f)<-[:HAS_ATOMIC_FACT]-(c)<-[:HAS_CHUNK]-()
  WITH c LIMIT $places
  RETURN collect(id(c)) AS chunks
}
WITH f, chunks
WHERE size(chunks) > 0
RETURN id(f), f.id, chunks, COLLECT { MATCH (f)-[:HAS_KEY_ELEMENT]->(e) RETURN id(e) }
