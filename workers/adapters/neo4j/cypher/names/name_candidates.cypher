// Returns a page of a collection's key elements that may be names of others, by id, with these.
MATCH (k:KeyElement)
WHERE k.collection = $collection AND k.id > $after AND k.may_mean IS NOT NULL
WITH k ORDER BY k.collection, k.id LIMIT $limit
CALL (k) {
  UNWIND k.may_mean AS id
  MATCH (named:KeyElement {id: id})
  OPTIONAL MATCH (named)-[:MERGED_INTO]->(target)
  WITH DISTINCT coalesce(target, named) AS whom ORDER BY whom.name, whom.id
  RETURN collect(whom {.id, .name, .aliases}) AS candidates
}
CALL (k) {
  UNWIND k.placed AS line
  WITH split(line, '\t') AS parts
  MATCH (named:KeyElement {id: parts[0]}), (d:Document {id: parts[1]})
  OPTIONAL MATCH (named)-[:MERGED_INTO]->(target)
  WITH coalesce(target, named) AS whom, d ORDER BY d.id, whom.id
  RETURN collect({element: whom.id, name: whom.name, document: d.id, uri: d.uri}) AS resolved
}
RETURN k {.id, .name, .aliases} AS element, candidates, resolved
ORDER BY element.id
