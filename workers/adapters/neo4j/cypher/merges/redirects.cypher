// Returns which of some elements are redirects, and to where.
UNWIND $ids AS id
MATCH (k:KeyElement {id: id})-[:MERGED_INTO]->(target)
WHERE k.collection = $collection
RETURN k.id AS id, target.id AS target
