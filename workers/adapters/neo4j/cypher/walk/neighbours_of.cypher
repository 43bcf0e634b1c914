// Returns the key elements that share live facts with the given ones, best first, each with a fact that joins them
// and, where one of those near the question holds it, the nearest of these.
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
  MATCH (f)-[held:HAS_KEY_ELEMENT]->(n)
  RETURN n, held.title AS titled LIMIT $elements_scanned
}
WITH nodes, f, n, titled
WHERE NOT n IN nodes
WITH n, f, titled ORDER BY f.id
WITH n, count(*) AS shared, count(titled) AS by_title, head(collect(f)) AS joining
WITH n, shared, by_title = shared AS titled, joining, COUNT { (n)<-[:HAS_KEY_ELEMENT]-() } AS degree
// A hub shares facts with everything: its share counts for less.
ORDER BY shared / log(1.0 + degree) DESC, n.id LIMIT $limit
WITH collect({n: n, shared: shared, titled: titled, joining: joining, degree: degree}) AS found
CALL () {
  UNWIND range(0, size($near) - 1) AS nth
  MATCH (f:AtomicFact {id: $near[nth]})-[:HAS_KEY_ELEMENT]->(e)
  WHERE f.collection = $collection AND EXISTS { (f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() }
  WITH e, f ORDER BY nth
  WITH e, head(collect(f.text)) AS text
  RETURN collect({id: e.id, text: text}) AS nearest
}
UNWIND found AS one
WITH one, head([each IN nearest WHERE each.id = one.n.id | each.text]) AS best
RETURN {
  id: one.n.id, name: one.n.name, aliases: one.n.aliases, relationship: 'SHARES_FACT', shared: one.shared, degree: one.degree,
  titled: one.titled, context: coalesce(best, one.joining.text)
} AS neighbour
