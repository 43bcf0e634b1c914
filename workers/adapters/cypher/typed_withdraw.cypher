// Takes back relations and events that chunks stated; they are where the elements lead to now.
UNWIND withdrawn AS row
UNWIND row.lines AS line
WITH row.c AS c, split(line, '\t') AS part
CALL (c, part) {
  WITH c, part WHERE part[0] = 'R'
  MATCH (source:KeyElement {id: part[2]}), (target:KeyElement {id: part[4]})
  OPTIONAL MATCH (source)-[:MERGED_INTO]->(source_home)
  OPTIONAL MATCH (target)-[:MERGED_INTO]->(target_home)
  WITH c, part, coalesce(source_home, source) AS a, coalesce(target_home, target) AS b
  MATCH (a)-[relation]->(b)
  WHERE type(relation) = part[3] AND relation.chunk_id = c.id AND relation.fact_id = part[1]
  DELETE relation
}
CALL (part) {
  WITH part WHERE part[0] = 'E'
  MATCH (e:MajorEvent {id: part[1]})
  DETACH DELETE e
}
