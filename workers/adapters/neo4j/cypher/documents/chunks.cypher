// Returns live chunks with their documents, in the given order.
UNWIND range(0, size($ids) - 1) AS nth
MATCH (c:Chunk {id: $ids[nth]})<-[:HAS_CHUNK]-(d)
WHERE d.collection = $collection
RETURN c {.id, .index, .text, .start, .end, .tokens, .content_hash, place: [c.chapter, c.order, c.splitter, c.places]} AS chunk, d {.*} AS document
ORDER BY nth
