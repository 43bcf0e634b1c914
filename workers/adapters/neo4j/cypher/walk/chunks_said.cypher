// Returns live chunks with their documents and some of their facts, in the given order.
UNWIND range(0, size($ids) - 1) AS nth
MATCH (c:Chunk {id: $ids[nth]})<-[:HAS_CHUNK]-(d)
WHERE d.collection = $collection
CALL (c) {
  MATCH (c)-[hold:HAS_ATOMIC_FACT]->(f)
  WITH hold, f ORDER BY hold.start, f.id LIMIT $max_facts
  RETURN collect([f.id, f.text, COLLECT {
    MATCH (f)-[:HAS_KEY_ELEMENT]->(k) RETURN [k.id, k.name] LIMIT $elements_scanned
  }]) AS facts
}
RETURN c {.id, .index, .text, .start, .end, .tokens, .content_hash, place: [c.chapter, c.order, c.splitter, c.places]} AS chunk, d {.*} AS document, facts
ORDER BY nth
