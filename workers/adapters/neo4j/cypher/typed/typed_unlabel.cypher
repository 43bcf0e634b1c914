// Takes labels from elements that no live chunk gives them any more; a redirect has none.
UNWIND $labels AS row
MATCH (named:KeyElement {id: row.element})
OPTIONAL MATCH (named)-[:MERGED_INTO]->(target)
UNWIND [named, coalesce(target, named)] AS k
WITH DISTINCT k, row.labels AS labels
UNWIND labels AS label
WITH DISTINCT k, label
WITH k, label, ['T\t' + k.id + '\t' + label] + COLLECT {
  MATCH (one)-[:MERGED_INTO]->(k)
  RETURN 'T\t' + one.id + '\t' + label
} AS lines
WHERE NOT EXISTS {
  MATCH (k)<-[:HAS_KEY_ELEMENT]-()<-[:HAS_ATOMIC_FACT]-(c)<-[:HAS_CHUNK]-()
  WHERE any(line IN c.stated WHERE line IN lines)
}
REMOVE k:$(label)
