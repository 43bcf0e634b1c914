// Returns the key elements that share live facts with the given ones, best first.
UNWIND $ids AS id
MATCH (k:KeyElement {id: id})
WHERE k.collection = $collection
CALL (k) {
  MATCH (k)<-[:HAS_KEY_ELEMENT]-(f)
  RETURN f LIMIT $facts_scanned
}
WITH DISTINCT f
WHERE EXISTS { (f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() }
MATCH (f)-[:HAS_KEY_ELEMENT]->(n)
WHERE NOT n.id IN $ids
WITH n, f ORDER BY f.id
WITH n, count(*) AS shared, head(collect(f)) AS joining
WITH n, shared, joining, COUNT { (n)<-[:HAS_KEY_ELEMENT]-() } AS degree
// A hub shares facts with everything: its share counts for less.
ORDER BY shared / log(1.0 + degree) DESC, n.id LIMIT $limit
RETURN {
  id: n.id, name: n.name, relationship: 'SHARES_FACT', shared: shared, degree: degree, context: joining.text
} AS neighbour
