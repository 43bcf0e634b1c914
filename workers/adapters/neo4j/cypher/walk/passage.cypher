// Reads a document with those of its live chunks that lie between two offsets of its text, and the text's length.
// The lock keeps the reader from seeing half of a version that is being made live. A document that was deleted while it
// was waited for has no id any more.
MATCH (d:Document {id: $id})
REMOVE d.write_lock
WITH d WHERE d.id IS NOT NULL
CALL (d) {
  MATCH (d)-[:HAS_CHUNK]->(c)
  RETURN coalesce(max(c.end), 0) AS length
}
CALL (d) {
  MATCH (d)-[:HAS_CHUNK]->(c)
  WHERE c.start < $end AND c.end > $start
  WITH c ORDER BY c.start, c.end
  RETURN collect([c.start, c.text]) AS pieces
}
RETURN d {.*} AS document, length, pieces
