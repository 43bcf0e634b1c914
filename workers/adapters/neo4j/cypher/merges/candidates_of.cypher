// Returns those whose name a key element may be.
MATCH (k:KeyElement {id: $id})
WHERE k.collection = $collection
UNWIND k.may_mean AS id
MATCH (named:KeyElement {id: id})
OPTIONAL MATCH (named)-[:MERGED_INTO]->(target)
WITH DISTINCT coalesce(target, named) AS whom
RETURN whom {.id, .name, .aliases} AS element
ORDER BY element.name, element.id
