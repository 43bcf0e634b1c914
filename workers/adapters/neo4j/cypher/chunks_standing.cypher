// Returns a page of a live document's chunks by index.
MATCH (:Document {id: $id})-[:HAS_CHUNK]->(c)
WHERE c.index > $after
RETURN c {.id, .index, .text, .start, .end, .tokens, .content_hash, place: [c.chapter, c.order, c.splitter]} AS chunk
ORDER BY c.index LIMIT $limit
