// Locks key elements and those that they lead to, by id.
UNWIND $ids AS id
MATCH (named:KeyElement {id: id})
OPTIONAL MATCH (named)-[:MERGED_INTO]->(target)
UNWIND [named, coalesce(target, named)] AS k
WITH DISTINCT k ORDER BY k.id
REMOVE k.write_lock
