// Returns which element each of some elements leads to: itself, unless it is a redirect.
UNWIND $ids AS id
MATCH (named:KeyElement {id: id})
OPTIONAL MATCH (named)-[:MERGED_INTO]->(target)
RETURN id, coalesce(target, named).id AS home
