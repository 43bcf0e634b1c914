// Returns the live chunks of some documents with their facts: per place what it names there, of old places what the fact does.
UNWIND $ids AS id
MATCH (d:Document {id: id})-[:HAS_CHUNK]->(c)
RETURN id, c {.id, .index, .text, .start, .end, .tokens, .content_hash, place: [c.chapter, c.order, c.splitter, c.places]},
  COLLECT {
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
  }
