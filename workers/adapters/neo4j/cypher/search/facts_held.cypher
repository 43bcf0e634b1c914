// Returns the ids of the live facts of each key element, a bounded number of each.
UNWIND $ids AS id
MATCH (asked:KeyElement {id: id})
WHERE asked.collection = $collection
// A redirect stands for the element that it leads to.
OPTIONAL MATCH (asked)-[:MERGED_INTO]->(target)
WITH id, head(collect(coalesce(target, asked))) AS k
CALL (k) {
  MATCH (k)<-[:HAS_KEY_ELEMENT]-(f)
  WHERE EXISTS { (f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() }
  WITH f.id AS fact LIMIT $limit
  RETURN collect(fact) AS facts
}
RETURN id, facts
