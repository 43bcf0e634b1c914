// Returns every live place that carries one of these facts, in the given order, best place first.
UNWIND range(0, size($ids) - 1) AS nth
MATCH (f:AtomicFact {id: $ids[nth]})<-[hold:HAS_ATOMIC_FACT]-(c)<-[:HAS_CHUNK]-(d)
WHERE f.collection = $collection
RETURN {
  fact_id: f.id, fact: f.text, chunk_id: c.id, document_id: d.id, title: d.title, uri: d.uri,
  start: c.start + hold.start, end: c.start + hold.end, match: hold.match, grounded: hold.grounded,
  quote: substring(c.text, hold.start, hold.end - hold.start), chunk_start: c.start, chunk_places: coalesce(c.places, '')
} AS source
ORDER BY nth, hold.grounded DESC, hold.match DESC, d.id, c.index
