// Returns types with their properties and the labels that they join, of a random share of the relationships.
MATCH (a)-[r]->(b) WHERE rand() < $share
WITH a, r, b LIMIT $sample
CALL (r) {
  UNWIND keys(r) AS name
  RETURN name, valueType(r[name]) AS type
  UNION
  RETURN null AS name, null AS type
}
RETURN type(r) AS kind, labels(a) AS sources, labels(b) AS targets, name, collect(DISTINCT type) AS types
ORDER BY kind, name
