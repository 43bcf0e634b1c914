// Reads the live facts around a key element, each with its places and its elements with their degrees.
MATCH (asked:KeyElement {id: $id})
WHERE asked.collection = $collection
// A redirect stands for the element that it leads to.
OPTIONAL MATCH (asked)-[:MERGED_INTO]->(target)
WITH coalesce(target, asked) AS k
OPTIONAL MATCH (only:Document {id: $document}) WHERE only.collection = $collection
CALL (k, only) {
  // Hidden facts must not cover the live ones: a document written anew brings many.
  WITH k WHERE $document IS NULL
  MATCH (k)<-[held:HAS_KEY_ELEMENT]-(f)
  WHERE EXISTS { (f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() }
  RETURN f, held.title AS titled LIMIT $facts_scanned
  UNION
  // Of one document: walked from where there are fewer facts, the element or the document.
  WITH k, only WHERE COUNT { (k)<-[:HAS_KEY_ELEMENT]-() } <= only.facts
  MATCH (k)<-[held:HAS_KEY_ELEMENT]-(f)
  WHERE EXISTS { (f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-(only) }
  RETURN f, held.title AS titled LIMIT $facts_scanned
  UNION
  WITH k, only WHERE COUNT { (k)<-[:HAS_KEY_ELEMENT]-() } > only.facts
  MATCH (only)-[:HAS_CHUNK]->()-[:HAS_ATOMIC_FACT]->(f)
  WITH DISTINCT k, f
  MATCH (f)-[held:HAS_KEY_ELEMENT]->(k)
  RETURN f, held.title AS titled LIMIT $facts_scanned
}
CALL (f, titled, only) {
  CALL (f, titled, only) {
    // What only a title ties to the element is quoted from the document of that title, however many say it.
    WITH f, titled WHERE titled IS NOT NULL AND only IS NULL
    MATCH (c:Chunk {id: titled})<-[:HAS_CHUNK]-(d), (c)-[hold:HAS_ATOMIC_FACT]->(f)
    USING INDEX c:Chunk(id)
    RETURN hold, c, d
    UNION
    WITH f, only WHERE only IS NULL
    MATCH (f)<-[hold:HAS_ATOMIC_FACT]-(c)<-[:HAS_CHUNK]-(d)
    RETURN hold, c, d LIMIT $places_scanned
    UNION
    WITH f, only WHERE only IS NOT NULL
    MATCH (f)<-[hold:HAS_ATOMIC_FACT]-(c)<-[:HAS_CHUNK]-(only)
    RETURN hold, c, only AS d LIMIT $places_scanned
  }
  WITH hold, c, d
  ORDER BY coalesce(c.id = titled, false) DESC, hold.grounded DESC, hold.match DESC, d.id, c.index
  RETURN collect({hold: hold, c: c, d: d}) AS places
}
WITH k, f, places, head(places).hold AS best
WHERE best IS NOT NULL
ORDER BY best.grounded DESC, size(places) DESC, best.match DESC, f.id
WITH k, count(*) AS found, collect({f: f, places: places})[..$limit] AS kept
UNWIND range(0, size(kept) - 1) AS nth
WITH k, found, nth, kept[nth].f AS f, kept[nth].places AS places
CALL (k, f) {
  // The element asked for is among them, however many others a fact of many documents has.
  MATCH (f)-[:HAS_KEY_ELEMENT]->(e)
  WHERE e <> k
  WITH e LIMIT $elements_scanned
  WITH e ORDER BY e.id
  RETURN collect({id: e.id, name: e.name, aliases: e.aliases, degree: COUNT { (e)<-[:HAS_KEY_ELEMENT]-() }}) AS others
}
RETURN {id: k.id, name: k.name, aliases: k.aliases, degree: COUNT { (k)<-[:HAS_KEY_ELEMENT]-() }} AS centre, found,
  f.id AS id, f.text AS text, others, [place IN places | {
    document_id: place.d.id, title: place.d.title, uri: place.d.uri, chunk_id: place.c.id,
    start: place.c.start + place.hold.start, end: place.c.start + place.hold.end,
    quote: substring(place.c.text, place.hold.start, place.hold.end - place.hold.start)
  }] AS sources
ORDER BY nth
