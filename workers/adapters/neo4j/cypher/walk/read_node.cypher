// Reads a key element: its facts, each with its best live place, and its neighbours, best first.
MATCH (asked:KeyElement {id: $id})
WHERE asked.collection = $collection
// A redirect stands for the element that it leads to.
OPTIONAL MATCH (asked)-[:MERGED_INTO]->(target)
WITH coalesce(target, asked) AS k
CALL (k) {
  CALL (k) {
    // A hub is not walked through: its facts near the question are asked for by id, whatever its degree.
    WITH k WHERE COUNT { (k)<-[:HAS_KEY_ELEMENT]-() } > $facts_scanned
    UNWIND keys($near) AS near
    MATCH (f:AtomicFact {id: near})-[held:HAS_KEY_ELEMENT]->(k)
    RETURN f, held.title AS titled
    UNION
    // Hidden facts must not cover the live ones: a document written anew brings many.
    MATCH (k)<-[held:HAS_KEY_ELEMENT]-(f)
    WHERE EXISTS { (f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() }
    RETURN f, held.title AS titled LIMIT $facts_scanned
  }
  WITH f, titled, coalesce($near[f.id], size(keys($near))) AS nth
  CALL (f, titled) {
    CALL (f, titled) {
      // What only a title ties to the element is quoted from the document of that title, however many say it.
      WITH f, titled WHERE titled IS NOT NULL
      MATCH (c:Chunk {id: titled})<-[:HAS_CHUNK]-(d), (c)-[hold:HAS_ATOMIC_FACT]->(f)
      USING INDEX c:Chunk(id)
      RETURN hold, c, d
      UNION
      MATCH (f)<-[hold:HAS_ATOMIC_FACT]-(c)<-[:HAS_CHUNK]-(d)
      RETURN hold, c, d LIMIT $places_scanned
    }
    WITH hold, c, d
    ORDER BY coalesce(c.id = titled, false) DESC, hold.grounded DESC, hold.match DESC, d.id, c.index
    WITH collect({hold: hold, c: c, d: d}) AS found
    RETURN size(found) AS places, head(found) AS best
  }
  WITH f, nth, places, best WHERE places > 0
  ORDER BY nth, best.hold.grounded DESC, places DESC, best.hold.match DESC, f.id
  RETURN collect(f) AS live, collect(best)[..$max_facts] AS places
}
CALL (live, places) {
  UNWIND range(0, size(places) - 1) AS nth
  WITH live[nth] AS f, places[nth].hold AS hold, places[nth].c AS c, places[nth].d AS d
  RETURN collect({
    fact_id: f.id, fact: f.text, chunk_id: c.id, document_id: d.id, title: d.title, uri: d.uri,
    start: c.start + hold.start, end: c.start + hold.end, match: hold.match, grounded: hold.grounded,
    quote: substring(c.text, hold.start, hold.end - hold.start)
  }) AS facts
}
CALL (k, live) {
  UNWIND CASE $max_neighbours WHEN 0 THEN [] ELSE live END AS f
  CALL (f) {
    MATCH (f)-[held:HAS_KEY_ELEMENT]->(n)
    RETURN n, held.title AS titled LIMIT $elements_scanned
  }
  WITH k, f, n, titled
  WHERE n <> k
  // The facts come best first, so the first that joins the two says best why to go there.
  WITH n, count(*) AS shared, count(titled) AS by_title, head(collect(f)) AS joining
  WITH n, shared, by_title = shared AS titled, joining, COUNT { (n)<-[:HAS_KEY_ELEMENT]-() } AS degree
  // A hub shares facts with everything: its share counts for less.
  ORDER BY shared / log(1.0 + degree) DESC, n.id LIMIT $max_neighbours
  RETURN collect({
    id: n.id, name: n.name, aliases: n.aliases, relationship: 'SHARES_FACT', shared: shared, degree: degree, titled: titled,
    context: joining.text
  }) AS neighbours
}
CALL (k) {
  // Both degrees are counters of the store: nodes without typed relationships are not walked through.
  WITH k WHERE $max_neighbours > 0 AND COUNT { (k)--() } > COUNT { (k)<-[:HAS_KEY_ELEMENT]-() }
  // Only key elements can be visited: an event's others share its fact.
  MATCH (k)-[typed]-(n:KeyElement)
  WHERE NOT type(typed) IN ['MERGED_INTO', 'MAY_MEAN'] AND n.collection = $collection
  WITH n, typed ORDER BY typed.order, typed.fact_id
  WITH n, collect(DISTINCT type(typed)) AS types, count(*) AS shared, head(collect(typed.evidence)) AS evidence,
    COUNT { (n)--() } AS degree
  ORDER BY shared / log(1.0 + degree) DESC, n.id LIMIT $max_neighbours
  RETURN collect({
    id: n.id, name: n.name, aliases: n.aliases, relationship: types, shared: shared, degree: degree, context: coalesce(evidence, '')
  }) AS related
}
RETURN k {.*} AS properties, elementId(k) AS element_id, labels(k) AS labels, size(live) > 0 AS held, facts, neighbours, related
