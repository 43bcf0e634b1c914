// Returns labels with their properties and types, of a random share of the nodes.
MATCH (n) WHERE rand() < $share
WITH n LIMIT $sample
UNWIND labels(n) AS label
CALL (n) {
  UNWIND keys(n) AS name
  RETURN name, valueType(n[name]) AS type
  UNION
  RETURN null AS name, null AS type
}
RETURN label, name, collect(DISTINCT type) AS types ORDER BY label, name
