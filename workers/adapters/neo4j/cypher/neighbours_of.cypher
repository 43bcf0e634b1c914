// Returns the key elements that share live facts with the given ones, best first.
UNWIND $ids AS id
MATCH (asked:KeyElement {id: id})
WHERE asked.collection = $collection
// A redirect stands for the element that it leads to.
OPTIONAL MATCH (asked)-[:MERGED_INTO]->(target)
WITH collect(DISTINCT coalesce(target, asked)) AS nodes
UNWIND nodes AS k
CALL (k) {
  // Hidden facts must not cover the live ones: a document written anew brings many.
  MATCH (k)<-[:HAS_KEY_ELEMENT]-(f)
  WHERE EXISTS { (f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() }
  RETURN f LIMIT $facts_scanned
}
WITH DISTINCT nodes, f
CALL (f) {
  MATCH (f)-[:HAS_KEY_ELEMENT]->(n)
  RETURN n LIMIT $elements_scanned
}
WITH nodes, f, n
WHERE NOT n IN nodes
WITH n, f ORDER BY f.id
WITH n, count(*) AS shared, head(collect(f)) AS joining
WITH n, shared, joining, COUNT { (n)<-[:HAS_KEY_ELEMENT]-() } AS degree
// A hub shares facts with everything: its share counts for less.
ORDER BY shared / log(1.0 + degree) DESC, n.id LIMIT $limit
RETURN {
  id: n.id, name: n.name, relationship: 'SHARES_FACT', shared: shared, degree: degree, context: joining.text
} AS neighbour
