// Returns the live facts by which two key elements hang together: those that hold both, else pairs of facts that share a third.
MATCH (one:KeyElement) WHERE elementId(one) = $one AND one.collection = $collection
MATCH (other:KeyElement) WHERE elementId(other) = $other AND other.collection = $collection
CALL (one) {
  MATCH (one)<-[:HAS_KEY_ELEMENT]-(f)
  WHERE EXISTS { (f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() }
  RETURN collect(f)[..$scanned] AS near
}
CALL (other) {
  MATCH (other)<-[:HAS_KEY_ELEMENT]-(f)
  WHERE EXISTS { (f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() }
  RETURN collect(f)[..$scanned] AS far
}
WITH one, other, near, far, [f IN near WHERE f IN far] AS both
CALL (one, other, near, far, both) {
  UNWIND both AS f
  RETURN [f] AS chain, null AS by, 0 AS degree
  UNION ALL
  WITH one, other, near, far, both
  WHERE size(both) = 0
  UNWIND near AS f
  MATCH (f)-[:HAS_KEY_ELEMENT]->(k)<-[:HAS_KEY_ELEMENT]-(g)
  WHERE g IN far AND k <> one AND k <> other
  WITH k, head(collect([f, g])) AS chain
  RETURN chain, k.name AS by, COUNT { (k)<-[:HAS_KEY_ELEMENT]-() } AS degree
}
// What few facts hold joins more closely than what all hold.
WITH chain, by, degree ORDER BY degree, by, head(chain).id LIMIT $limit
UNWIND chain AS f
CALL (f) {
  MATCH (f)<-[hold:HAS_ATOMIC_FACT]-(c)<-[:HAS_CHUNK]-()
  RETURN c.id AS chunk ORDER BY hold.grounded DESC, hold.match DESC, chunk LIMIT 1
}
RETURN DISTINCT f.id AS fact_id, f.text AS fact, chunk, by
