// Returns those of some key elements that live facts hold, with how many facts and chunks; redirects followed.
UNWIND $ids AS asked
MATCH (named:KeyElement {id: asked})
WHERE named.collection = $collection
OPTIONAL MATCH (named)-[:MERGED_INTO]->(target)
WITH asked, coalesce(target, named) AS k
CALL (k) {
  // Chunks are counted among some of its facts; a frequent element's are estimated from these.
  MATCH (k)<-[:HAS_KEY_ELEMENT]-(f)
  WITH f LIMIT $sampled
  OPTIONAL MATCH (f)<-[:HAS_ATOMIC_FACT]-(c)<-[:HAS_CHUNK]-()
  RETURN count(DISTINCT f) AS seen, count(DISTINCT c) AS chunks
}
WITH asked, k, seen, chunks, COUNT { (k)<-[:HAS_KEY_ELEMENT]-() } AS degree
WHERE chunks > 0
RETURN asked, k.id AS id, k.name AS name, degree,
  toInteger(round(toFloat(chunks) * degree / seen)) AS chunks
