// Returns a page of a live document's chunks by index. Neo4j shows what a transaction commits link by link: the lock keeps
// the reader from seeing half of a version that is being made live.
MATCH (d:Document {id: $id})
REMOVE d.write_lock
WITH d
MATCH (d)-[:HAS_CHUNK]->(c)
WHERE c.index > $after
RETURN c {.id, .index, .text, .start, .end, .tokens, .content_hash, place: [c.chapter, c.order, c.splitter]} AS chunk
ORDER BY c.index LIMIT $limit
