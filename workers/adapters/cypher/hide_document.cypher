// Hides a document from readers, with the relations and events that it stated, and makes its writers stop;
// remove_chunks takes it away.
MATCH (d:Document {id: $id})
REMOVE d.write_lock
SET d.version = CASE d.status WHEN 'deleting' THEN d.version ELSE d.version + 1 END,
  d.live = 0, d.live_hash = null, d.content_hash = null, d.status = 'deleting', d.chunks = 0, d.facts = 0
WITH d
CALL (d) {
  MATCH (d)-[shown:HAS_CHUNK]->(c)
  DELETE shown
  MERGE (d)-[hidden:HAS_HIDDEN_CHUNK {title_id: coalesce(d.title_id, '')}]->(c)
    ON CREATE SET hidden.version = 0
  WITH c WHERE c.stated IS NOT NULL
  RETURN collect({c: c, lines: c.stated}) AS withdrawn
}
CALL (withdrawn) {
  WITH withdrawn AS statements
  CALL (statements) {
    INCLUDE typed_named
  }
  WITH k ORDER BY k.id
  REMOVE k.write_lock
  RETURN count(k) AS locked
}
CALL (withdrawn) {
  INCLUDE typed_withdraw
}
CALL (withdrawn) {
  INCLUDE typed_unlabel
}
RETURN d.id AS id
