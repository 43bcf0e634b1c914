// Locks what merges that one transaction is to make will change: facts, then elements, each by id.
CALL () {
  UNWIND $sources AS id
  MATCH (:KeyElement {id: id})<-[:HAS_KEY_ELEMENT]-(f)
  WITH DISTINCT f ORDER BY f.id
  REMOVE f.write_lock
  RETURN count(f) AS facts
}
CALL (facts) {
  CALL () {
    UNWIND $sources + $targets AS id
    MATCH (k:KeyElement {id: id})
    RETURN k
    UNION
    UNWIND $sources AS id
    MATCH (k)-[:MERGED_INTO]->(:KeyElement {id: id})
    RETURN k
    UNION
    UNWIND $targets AS id
    MATCH (:KeyElement {id: id})-[:MERGED_INTO]->(k)
    RETURN k
  }
  WITH DISTINCT k ORDER BY k.id
  WHERE k.collection = $collection
  REMOVE k.write_lock
  RETURN count(k) AS elements
}
RETURN facts, elements
