// Makes major events that live chunks tell, with those who experience them.
UNWIND $events AS row
MATCH (c:Chunk {id: row.chunk})<-[:HAS_CHUNK]-(d)
MATCH (c)-[hold:HAS_ATOMIC_FACT]->(f)
WHERE f.id = row.fact
MERGE (e:MajorEvent {id: row.id})
SET e = {
  id: row.id, collection: c.collection, event_type: row.type, name: row.name, summary: f.text,
  fact_id: f.id, chunk_id: c.id, document_id: d.id, chapter: c.chapter, order: c.order, stated_at: hold.start,
  evidence: CASE WHEN hold.grounded THEN substring(c.text, hold.start, hold.end - hold.start) ELSE f.text END
}
WITH e, row
UNWIND row.parts AS part
MATCH (who:KeyElement {id: part.element})
MERGE (who)-[experience:EXPERIENCES]->(e)
SET experience = {
  role: part.role, outcome: part.outcome, fact_id: e.fact_id, chunk_id: e.chunk_id, document_id: e.document_id
}
