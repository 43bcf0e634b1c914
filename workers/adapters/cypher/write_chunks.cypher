// Writes chunks of a version, with facts and key elements, as hidden ones; locks facts, then elements, by id.
MATCH (d:Document {id: $document})
REMOVE d.write_lock
WITH d WHERE d.version = $version AND d.content_hash = $content_hash
CALL (d) {
  UNWIND $chunks AS row
  MERGE (c:Chunk {id: row.id})
    ON CREATE SET c.collection = $collection, c.scope = $scope, c.index = row.index, c.text = row.text,
      c.start = row.start, c.end = row.end, c.tokens = row.tokens, c.content_hash = row.content_hash
  // The place in the new version; the node keeps its place in the live one until make_live.
  MERGE (d)-[hidden:HAS_HIDDEN_CHUNK]->(c)
  SET hidden.version = $version, hidden.index = row.index, hidden.start = row.start, hidden.end = row.end
  RETURN collect(c) AS chunks
}
CALL () {
  UNWIND $facts AS row
  MERGE (f:AtomicFact {id: row.id})
    ON CREATE SET f.collection = $collection, f.scope = $scope, f.text = row.text
  REMOVE f.write_lock
  RETURN collect(f) AS facts
}
CALL () {
  UNWIND $elements AS row
  MERGE (k:KeyElement {id: row.id})
    ON CREATE SET k.collection = $collection, k.scope = $scope, k.name = row.name, k.aliases = row.aliases
  REMOVE k.write_lock
  WITH k, [alias IN row.aliases WHERE NOT alias IN k.aliases] AS added
  // The same value again is no change to the server: nothing is written or indexed.
  SET k.aliases = CASE WHEN added = [] THEN k.aliases ELSE (k.aliases + added)[..$max_aliases] END
  RETURN collect(k) AS elements
}
CALL (chunks, facts) {
  UNWIND $holds AS row
  WITH chunks[row[0]] AS c, facts[row[1]] AS f, row
  MERGE (c)-[hold:HAS_ATOMIC_FACT]->(f)
  // Offsets within the chunk's text: they stay right when an edit before it moves the chunk.
  SET hold.start = row[2], hold.end = row[3], hold.match = row[4], hold.grounded = row[5],
    hold.version = $version
}
CALL (facts, elements) {
  UNWIND $mentions AS row
  WITH facts[row[0]] AS f, elements[row[1]] AS k
  MERGE (f)-[:HAS_KEY_ELEMENT]->(k)
}
RETURN size(chunks) AS chunks
