// Returns a collection's key elements: number, id, name, facts, chunks as elements_found counts them, the number of what
// it was merged into or -1, and the numbers of some live facts.
MATCH (k:KeyElement)
WHERE k.collection = $collection
OPTIONAL MATCH (k)-[:MERGED_INTO]->(target)
CALL (k) {
  MATCH (k)<-[:HAS_KEY_ELEMENT]-(f)
  WHERE EXISTS { (f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() }
  WITH f LIMIT $limit
  RETURN collect(f) AS live
}
CALL (live) {
  UNWIND live[..$sampled] AS f
  CALL (f) {
    MATCH (f)<-[:HAS_ATOMIC_FACT]-(c)<-[:HAS_CHUNK]-()
    WITH c LIMIT $sampled_places
    RETURN collect(c) AS some
  }
  WITH f, some,
    CASE WHEN size(some) < $sampled_places THEN size(some) ELSE COUNT { (f)<-[:HAS_ATOMIC_FACT]-() } END AS places
  UNWIND some AS c
  RETURN count(DISTINCT f) AS seen, count(DISTINCT c) * avg(toFloat(places) / size(some)) AS chunks
}
WITH k, target, live, seen, coalesce(chunks, 0.0) AS chunks, COUNT { (k)<-[:HAS_KEY_ELEMENT]-() } AS degree
RETURN id(k), k.id, k.name, degree,
  toInteger(round(CASE WHEN seen < $sampled THEN chunks ELSE chunks * degree / seen END)),
  chunks > 0, coalesce(id(target), -1), [f IN live | id(f)]
