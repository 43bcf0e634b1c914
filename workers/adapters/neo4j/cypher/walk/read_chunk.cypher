// Reads one live chunk: its document, the facts that it carries, and the chunks before and after it.
MATCH (c:Chunk {id: $id})<-[:HAS_CHUNK]-(d)
WHERE d.collection = $collection
CALL (c, d) {
  MATCH (c)-[hold:HAS_ATOMIC_FACT]->(f)
  WITH f, hold ORDER BY hold.start, f.id
  RETURN collect({
    fact_id: f.id, fact: f.text, chunk_id: c.id, document_id: d.id, title: d.title, uri: d.uri,
    start: c.start + hold.start, end: c.start + hold.end, match: hold.match, grounded: hold.grounded,
    quote: substring(c.text, hold.start, hold.end - hold.start)
  }) AS facts
}
RETURN c {.id, .index, .text, .start, .end, .tokens, .content_hash, place: [c.chapter, c.order, c.splitter]} AS chunk, d {.*} AS document, facts,
  head([(b:Chunk)-[:NEXT]->(c) | b.id]) AS before, head([(c)-[:NEXT]->(a:Chunk) | a.id]) AS after
