// Returns a live document with a page of its chunks by index, each with what it states and its facts as `contents` has them. The
// lock keeps the reader from seeing half of a version that is being made live.
MATCH (d:Document {id: $id})
REMOVE d.write_lock
WITH d WHERE d.live > 0
CALL (d) {
  MATCH (d)-[:HAS_CHUNK]->(c)
  WHERE c.index > $after
  WITH c ORDER BY c.index LIMIT $limit
  WITH c, COLLECT {
    MATCH (c)-[hold:HAS_ATOMIC_FACT]->(f)
    CALL (f, hold) {
      WITH f, hold WHERE hold.named IS NULL
      MATCH (f)-[held:HAS_KEY_ELEMENT]->(k)
      WHERE held.title IS NULL
      UNWIND coalesce(held.via, [k.id]) AS via
      MATCH (named:KeyElement {id: via})
      RETURN collect(DISTINCT named.name) AS lines
    }
    RETURN [f.id, coalesce(hold.text, f.text), hold.start, hold.end, hold.match, hold.grounded, coalesce(hold.named, lines),
      coalesce(hold.titled, false)]
  } AS facts
  ORDER BY c.index
  RETURN collect([
    c {.id, .index, .text, .start, .end, .tokens, .content_hash, place: [c.chapter, c.order, c.splitter, c.places]},
    coalesce(c.stated, []),
    facts
  ]) AS chunks
}
RETURN d {.*} AS document, chunks
