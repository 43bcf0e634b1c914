// Returns a page of a document's live chunks, by index, each with what is kept of names, its facts and the elements that
// these really name.
MATCH (:Document {id: $document})-[:HAS_CHUNK]->(c)
WHERE c.index > $after
WITH c ORDER BY c.index LIMIT $limit
CALL (c) {
  MATCH (c)-[:HAS_ATOMIC_FACT]->(f)
  CALL (f) {
    MATCH (f)-[held:HAS_KEY_ELEMENT]->(home)
    UNWIND coalesce(held.via, [home.id]) AS id
    // By a name that several bear a fact leads to whom it means there as well.
    WITH DISTINCT id
    MATCH (k:KeyElement {id: id})
    RETURN collect(k {.id, .name, aliases: coalesce(k.own_aliases, k.aliases)}) AS elements
  }
  RETURN collect({id: f.id, text: f.text, elements: elements}) AS facts
}
RETURN c {.id, .index, .text, .start, .end, .tokens, .content_hash, place: [c.chapter, c.order, c.splitter]} AS chunk, facts,
  coalesce(c.names, []) AS names
ORDER BY chunk.index
