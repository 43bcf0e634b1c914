// Takes labels from elements that no live chunk gives them any more.
UNWIND withdrawn AS row
UNWIND row.lines AS line
WITH DISTINCT split(line, '\t') AS part
WHERE part[0] = 'T'
MATCH (k:KeyElement {id: part[1]})
OPTIONAL MATCH (k)-[:MERGED_INTO]->(target)
WITH DISTINCT coalesce(target, k) AS home, part[2] AS label
WITH home, label, ['T\t' + home.id + '\t' + label] + COLLECT {
  MATCH (one)-[:MERGED_INTO]->(home)
  RETURN 'T\t' + one.id + '\t' + label
} AS lines
WHERE NOT EXISTS {
  MATCH (home)<-[:HAS_KEY_ELEMENT]-()<-[:HAS_ATOMIC_FACT]-(c)<-[:HAS_CHUNK]-()
  WHERE any(line IN c.stated WHERE line IN lines)
}
REMOVE home:$(label)
