// Makes relations that live chunks state. A fresh chunk stated none before, so none is looked for.
UNWIND $relations AS row
MATCH (a:KeyElement {id: row.source}), (b:KeyElement {id: row.target})
MATCH (c:Chunk {id: row.chunk})<-[:HAS_CHUNK]-(d)
MATCH (c)-[hold:HAS_ATOMIC_FACT]->(f)
WHERE f.id = row.fact
WITH a, b, row.type AS type, row.fresh AS fresh, {
  fact_id: f.id, chunk_id: c.id, document_id: d.id, chapter: c.chapter, order: c.order, stated_at: hold.start,
  evidence: CASE WHEN hold.grounded THEN substring(c.text, hold.start, hold.end - hold.start) ELSE f.text END
} AS told
FOREACH (told IN CASE WHEN fresh THEN [told] ELSE [] END |
  CREATE (a)-[relation:$(type)]->(b)
  SET relation = told)
FOREACH (told IN CASE WHEN fresh THEN [] ELSE [told] END |
  MERGE (a)-[relation:$(type) {fact_id: told.fact_id, chunk_id: told.chunk_id}]->(b)
  SET relation = told)
