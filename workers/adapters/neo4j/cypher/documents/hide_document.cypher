// Hides a document from readers and makes its writers stop; remove_chunks takes it away. Its metadata go in a transaction
// after this one: who reads while this is written may see a part of it, and could miss who may see what is still live.
MATCH (d:Document {id: $id})
REMOVE d.write_lock
// One whose chunks state relations and events takes more than this query.
WITH d WHERE $typed OR d.typed IS NULL
// What was live ends, as in make_live.
CALL (d) {
  WITH d WHERE d.live > 0
  OPTIONAL MATCH (v:KeptVersion {id: d.id})
  WHERE v.state = 'pending' AND v.live_hash = coalesce(d.live_hash, '')
  OPTIONAL MATCH (s:KeptSince {collection: d.collection})
  // Who might see it, also where this was narrowed already for the version that comes. A note of another version was left
  // by a worker that knows of none.
  WITH d, v, s, CASE
      WHEN coalesce(head(d.allow_before) <> toString(coalesce(d.live_since, 0)), true) THEN d.meta_list_allow
      WHEN size(d.allow_before) > 1 THEN tail(d.allow_before)
    END AS allow
  FOREACH (kept IN CASE WHEN v IS NULL THEN [] ELSE [v] END |
    SET kept += properties(d), kept.meta_list_allow = allow, kept.allow_before = null,
      kept.state = 'kept', kept.until = timestamp())
  FOREACH (since IN CASE WHEN v IS NULL AND s IS NOT NULL THEN [s] ELSE [] END |
    MERGE (g:KeptGap {id: d.id})
      ON CREATE SET g.collection = d.collection, g.lost_from = coalesce(d.live_since, 0)
    SET g.lost_until = timestamp()
    MERGE (l:KeptLoss {id: d.id, allow: coalesce(allow, [])})
    SET l.collection = d.collection, l.lost_until = timestamp(), l.meta_list_allow = allow)
}
SET d.version = CASE d.status WHEN 'deleting' THEN d.version ELSE d.version + 1 END,
  d.live = 0, d.live_hash = null, d.content_hash = null, d.status = 'deleting', d.chunks = 0, d.facts = 0,
  d.live_since = null, d.original = null, d.original_file = null, d.original_next = null,
  d.metadata_ingested = null, d.command_fields = null, d.pending_allow = null, d.pending_by_command = null,
  d.allow_set_aside = null, d.allow_before = null
WITH d
CALL (d) {
  MATCH (d)-[shown:HAS_CHUNK]->(c)
  DELETE shown
  MERGE (d)-[hidden:HAS_HIDDEN_CHUNK {title_id: coalesce(d.title_id, '')}]->(c)
    ON CREATE SET hidden.version = 0
}
RETURN d.id AS id, d.collection AS collection
