// Reads the facts of several key elements, each once with its best live place; those near the question first.
CALL () {
  UNWIND range(0, size($near) - 1) AS nth
  MATCH (f:AtomicFact {id: $near[nth]})-[:HAS_KEY_ELEMENT]->(k)
  WHERE k.id IN $ids AND k.collection = $collection
  RETURN f, k, nth
  UNION ALL
  UNWIND $ids AS id
  MATCH (k:KeyElement {id: id})
  WHERE k.collection = $collection
  CALL (k) {
    MATCH (k)<-[:HAS_KEY_ELEMENT]-(f)
    RETURN f LIMIT $facts_scanned
  }
  RETURN f, k, size($near) AS nth
}
WITH f, min(nth) AS nth, count(DISTINCT k) AS held
CALL (f) {
  MATCH (f)<-[hold:HAS_ATOMIC_FACT]-(c)<-[:HAS_CHUNK]-(d)
  WITH hold, c, d LIMIT $places_scanned
  WITH hold, c, d ORDER BY hold.grounded DESC, hold.match DESC, d.id, c.index
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
