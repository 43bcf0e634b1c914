// Writes the live text of a document as a version to be kept, pending until another text is live; nothing where it is not
// live any more, or is written already. One of another text, which never ended, is to be removed.
MATCH (d:Document {id: $id})
REMOVE d.write_lock
WITH d WHERE d.live = $live AND coalesce(d.live_hash, '') = $live_hash
  AND NOT EXISTS { MATCH (v:KeptVersion {id: $id}) WHERE v.state = 'pending' AND v.live_hash = $live_hash }
CALL (d) {
  MATCH (v:KeptVersion {id: d.id})
  WHERE v.state = 'pending'
  SET v.state = 'dropped'
}
MERGE (v:KeptVersion {key: $key})
SET v.id = d.id, v.collection = d.collection, v.live_hash = $live_hash, v.title = d.title, v.state = 'pending'
WITH v
CALL (v) {
  MATCH (v)-[:HAS_KEPT_PART]->(part)
  DETACH DELETE part
}
UNWIND range(0, size($parts) - 1) AS nth
CREATE (v)-[:HAS_KEPT_PART]->(:KeptPart {nth: nth, body: $parts[nth]})
