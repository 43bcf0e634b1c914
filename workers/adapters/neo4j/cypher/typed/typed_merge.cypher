// Returns what the live chunks of an element's facts state of it, of another, and of what was merged into the
// two; locks its facts, by id.
MATCH (source:KeyElement {id: $source}), (named:KeyElement {id: $target})
OPTIONAL MATCH (named)-[:MERGED_INTO]->(other)
WITH source, coalesce(other, named) AS target
CALL (source) {
  MATCH (source)<-[:HAS_KEY_ELEMENT]-(f)
  WITH f ORDER BY f.id
  REMOVE f.write_lock
  RETURN collect(f) AS facts
}
WITH facts, [source.id, target.id] + COLLECT { MATCH (k)-[:MERGED_INTO]->(source) RETURN k.id }
  + COLLECT { MATCH (k)-[:MERGED_INTO]->(target) RETURN k.id } AS members
CALL (facts, members) {
  UNWIND facts AS f
  MATCH (f)<-[:HAS_ATOMIC_FACT]-(c)<-[:HAS_CHUNK]-()
  WHERE c.stated IS NOT NULL
  WITH DISTINCT c, members
  WITH c, [line IN c.stated WHERE any(part IN split(line, '\t') WHERE part IN members)] AS lines
  RETURN collect({chunk: c.id, before: null, stated: lines}) AS chunks
}
RETURN members, chunks
