// Returns the live facts of some key elements with their chunks and with the degrees of their elements.
UNWIND $ids AS id
MATCH (k:KeyElement {id: id})
WHERE k.collection = $collection
CALL (k) {
  MATCH (k)<-[:HAS_KEY_ELEMENT]-(f)
  WHERE EXISTS { (f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() }
  RETURN f LIMIT $limit
}
WITH f, collect(k) AS asked
CALL (f) {
  MATCH (f)<-[:HAS_ATOMIC_FACT]-(c)<-[:HAS_CHUNK]-()
  WITH c LIMIT $places
  RETURN collect(c.id) AS chunks
}
// Those asked for are among them, however many others a fact of many documents has.
WITH f.id AS fact, chunks, [k IN asked | [k.id, COUNT { (k)<-[:HAS_KEY_ELEMENT]-() }]] + COLLECT {
  MATCH (f)-[:HAS_KEY_ELEMENT]->(e)
  WHERE NOT e IN asked
  WITH e LIMIT $elements_scanned
  RETURN [e.id, COUNT { (e)<-[:HAS_KEY_ELEMENT]-() }]
} AS elements
// One row: hundreds of small ones take longer to carry than to find.
RETURN collect([fact, chunks, elements]) AS facts
