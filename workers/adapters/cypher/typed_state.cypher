// Makes what live chunks state into labels, relations and events of the elements that are meant.
UNWIND stated AS row
WITH row.c AS c, row.lines AS lines
MATCH (c)<-[:HAS_CHUNK]-(d)
UNWIND lines AS line
WITH c, d, split(line, '\t') AS part
CALL (part) {
  WITH part WHERE part[0] = 'T'
  MATCH (named:KeyElement {id: part[1]})
  OPTIONAL MATCH (named)-[:MERGED_INTO]->(target)
  WITH coalesce(target, named) AS home, part
  SET home:$(part[2])
}
CALL (c, d, part) {
  WITH c, d, part WHERE part[0] = 'R'
  MATCH (source:KeyElement {id: part[2]}), (target:KeyElement {id: part[4]})
  OPTIONAL MATCH (source)-[:MERGED_INTO]->(source_home)
  OPTIONAL MATCH (target)-[:MERGED_INTO]->(target_home)
  WITH c, d, part, coalesce(source_home, source) AS a, coalesce(target_home, target) AS b
  // What holds between two names of one thing holds between no two things.
  WHERE a <> b
  MATCH (c)-[hold:HAS_ATOMIC_FACT]->(f:AtomicFact {id: part[1]})
  MERGE (a)-[relation:$(part[3]) {fact_id: f.id, chunk_id: c.id}]->(b)
  SET relation.document_id = d.id, relation.chapter = c.chapter, relation.order = c.order,
    relation.evidence =
      CASE WHEN hold.grounded THEN substring(c.text, hold.start, hold.end - hold.start) ELSE f.text END
}
CALL (c, d, part) {
  WITH c, d, part WHERE part[0] = 'E'
  MATCH (c)-[hold:HAS_ATOMIC_FACT]->(f:AtomicFact {id: part[2]})
  MERGE (e:MajorEvent {id: part[1]})
  SET e.collection = c.collection, e.event_type = part[3], e.name = part[4], e.summary = f.text,
    e.chapter = c.chapter, e.order = c.order, e.fact_id = f.id, e.chunk_id = c.id, e.document_id = d.id,
    e.evidence = CASE WHEN hold.grounded THEN substring(c.text, hold.start, hold.end - hold.start) ELSE f.text END
  WITH e, part
  UNWIND range(5, size(part) - 3, 3) AS place
  MATCH (named:KeyElement {id: part[place]})
  OPTIONAL MATCH (named)-[:MERGED_INTO]->(target)
  WITH e, part, place, coalesce(target, named) AS home ORDER BY place
  MERGE (home)-[experience:EXPERIENCES]->(e)
    // Of two names of one who takes part, the first says how.
    ON CREATE SET experience.fact_id = e.fact_id, experience.chunk_id = e.chunk_id,
      experience.document_id = e.document_id,
      experience.role = CASE part[place + 1] WHEN '' THEN null ELSE part[place + 1] END,
      experience.outcome = CASE part[place + 2] WHEN '' THEN null ELSE part[place + 2] END
}
