// Gives the chunks of a version what it states, and returns that with what they and the live ones stated before.
MATCH (d:Document {id: $id})
REMOVE d.write_lock
WITH d WHERE d.version = $version AND d.content_hash = $content_hash
CALL (d) {
  MATCH (d)-[:HAS_CHUNK]->(c)
  WHERE d.live < $version AND c.stated IS NOT NULL AND NOT EXISTS { (d)-[:HAS_HIDDEN_CHUNK {version: $version}]->(c) }
  RETURN collect({chunk: c.id, before: c.stated, stated: null}) AS gone
}
CALL (d) {
  MATCH (d)-[hidden:HAS_HIDDEN_CHUNK {version: $version}]->(c)
  // Written under two titles: what was written under the last one counts.
  WITH c, hidden ORDER BY hidden.title_id = $title_id DESC
  WITH c, head(collect(hidden)) AS hidden, c.stated AS before
  SET c.chapter = hidden.chapter, c.order = hidden.order, c.stated = hidden.stated
  WITH c, before WHERE before IS NOT NULL OR c.stated IS NOT NULL
  RETURN collect({chunk: c.id, before: before, stated: c.stated}) AS moved
}
RETURN gone + moved AS chunks
