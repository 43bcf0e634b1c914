// Returns those of some key elements whose meaning documents bear on, with those that lead to them.
UNWIND $ids AS id
MATCH (k:KeyElement {id: id})
WHERE k.collection = $collection
CALL (k) {
  RETURN k AS one
  UNION
  MATCH (one)-[:MERGED_INTO]->(k)
  RETURN one
}
WITH one WHERE one.claimed
RETURN DISTINCT one.id AS id ORDER BY id
