// Reads the facts of several key elements, each once with its best live place; those near the question first.
UNWIND $ids AS id
MATCH (asked:KeyElement {id: id})
WHERE asked.collection = $collection
// A redirect stands for the element that it leads to.
OPTIONAL MATCH (asked)-[:MERGED_INTO]->(target)
WITH collect(DISTINCT coalesce(target, asked)) AS nodes
CALL (nodes) {
  UNWIND range(0, size($near) - 1) AS nth
  MATCH (f:AtomicFact {id: $near[nth]})
  UNWIND nodes AS k
  MATCH (f)-[held:HAS_KEY_ELEMENT]->(k)
  RETURN f, held, nth
  UNION ALL
  UNWIND nodes AS k
  CALL (k) {
    // Hidden facts must not cover the live ones: a document written anew brings many.
    MATCH (k)<-[held:HAS_KEY_ELEMENT]-(f)
    WHERE EXISTS { (f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() }
    RETURN f, held LIMIT $facts_scanned
  }
  RETURN f, held, size($near) AS nth
}
WITH f, min(nth) AS nth, count(DISTINCT held) AS held, collect(DISTINCT held.title) AS titled
CALL (f, titled) {
  CALL (f, titled) {
    // What only a title ties to the element is quoted from the document of that title, however many say it.
    UNWIND titled AS id
    MATCH (c:Chunk {id: id})<-[:HAS_CHUNK]-(d), (c)-[hold:HAS_ATOMIC_FACT]->(f)
    USING INDEX c:Chunk(id)
    RETURN hold, c, d
    UNION
    MATCH (f)<-[hold:HAS_ATOMIC_FACT]-(c)<-[:HAS_CHUNK]-(d)
    RETURN hold, c, d LIMIT $places_scanned
  }
  WITH hold, c, d ORDER BY c.id IN titled DESC, hold.grounded DESC, hold.match DESC, d.id, c.index
  RETURN head(collect({hold: hold, c: c, d: d})) AS best
}
WITH f, nth, held, best.hold AS hold, best.c AS c, best.d AS d
WHERE c IS NOT NULL
RETURN {
  fact_id: f.id, fact: f.text, chunk_id: c.id, document_id: d.id, title: d.title, uri: d.uri,
  start: c.start + hold.start, end: c.start + hold.end, match: hold.match, grounded: hold.grounded,
  quote: substring(c.text, hold.start, hold.end - hold.start)
} AS source
ORDER BY nth, hold.grounded DESC, held DESC, hold.match DESC, f.id LIMIT $limit
