// Shows the hidden chunks of some documents' versions and hides those of the versions before, in one transaction. Hidden
// links of version 0 are left for remove_chunks: they say which chunks, or which titles of chunks that stay, are to go.
UNWIND $documents AS row
MATCH (d:Document {id: row.id})
REMOVE d.write_lock
WITH d, row WHERE d.version = row.version AND d.content_hash = row.content_hash
  // One whose chunks state relations and events takes more than this query.
  AND ($typed OR d.typed IS NULL)
// The text that was live ends: as a version that is kept, where it was written as one. Else it is noted that it is not.
CALL (d, row) {
  WITH d, row WHERE d.live > 0 AND d.live < row.version
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
FOREACH (fresh IN CASE WHEN d.live < row.version THEN [d] ELSE [] END | SET fresh.live_since = timestamp(), fresh.updated = timestamp())
WITH d, row
CALL (d, row) {
  MATCH (d)-[shown:HAS_CHUNK]->(c)
  WITH d, shown, c,
    d.live < row.version AND NOT EXISTS { (d)-[:HAS_HIDDEN_CHUNK {version: row.version}]->(c) } AS gone
  WHERE gone OR d.title_id <> row.title_id
  MERGE (d)-[hidden:HAS_HIDDEN_CHUNK {title_id: coalesce(d.title_id, '')}]->(c)
    ON CREATE SET hidden.version = 0
  SET c.title = CASE WHEN gone THEN c.title ELSE row.title END
  FOREACH (link IN CASE WHEN gone THEN [shown] ELSE [] END | DELETE link)
}
CALL (d, row) {
  MATCH (d)-[hidden:HAS_HIDDEN_CHUNK {version: row.version}]->(c)
  MERGE (d)-[:HAS_CHUNK]->(c)
  SET c.index = hidden.index, c.start = hidden.start, c.end = hidden.end, c.title = row.title,
    c.names = hidden.names, c.places = hidden.places
  WITH hidden, hidden.title_id = row.title_id AS same
  FOREACH (link IN CASE WHEN same THEN [hidden] ELSE [] END | DELETE link)
  FOREACH (link IN CASE WHEN same THEN [] ELSE [hidden] END | SET link.version = 0)
  RETURN count(*) AS moved
}
CALL (d, moved) {
  WITH d WHERE moved > 0
  MATCH (d)-[:HAS_CHUNK]->(c)
  CALL (c) { MATCH (c)-[next:NEXT]-() DELETE next }
  WITH c ORDER BY c.index
  WITH collect(c) AS chain
  UNWIND range(1, size(chain) - 1) AS place
  WITH chain[place - 1] AS before, chain[place] AS after
  CREATE (before)-[:NEXT]->(after)
}
CALL (d) {
  MATCH (d)-[:HAS_CHUNK]->(c)
  OPTIONAL MATCH (c)-[:HAS_ATOMIC_FACT]->(f)
  RETURN count(DISTINCT c) AS chunks, count(DISTINCT f) AS facts
}
WITH d, row, chunks, facts, d.version > 1 OR EXISTS { (d)-[:HAS_HIDDEN_CHUNK {version: 0}]->() } AS older,
  // Who may see it was changed by hand after this version had said so.
  coalesce(row.metadata.meta_list_allow = d.allow_set_aside, false) AS set_aside, d.meta_list_allow AS allow
// While something of an older version is left to remove, or names are to be looked at, it is not known of which bytes
// this version was made.
SET d.source_hash = CASE WHEN row.source_hash <> '' AND NOT older AND d.named IS NULL THEN row.source_hash
    WHEN d.live = row.version THEN d.source_hash END,
  d.live = row.version, d.written = row.version, d.live_hash = row.content_hash, d.whole = true, d.status = 'indexed', d.error = null,
  d.uri = row.uri, d.title = row.title, d.languages = row.languages, d.title_id = row.title_id, d.chunk_tokens = row.chunk_tokens,
  d.chunk_overlap = row.chunk_overlap, d.size = row.size, d.media_type = row.media_type,
  d.original = row.original, d.original_file = row.original_file, d.original_next = null, d.chunks = chunks, d.facts = facts,
  d.pending_allow = null, d.pending_by_command = null, d.allow_before = null,
  d += row.read, d += row.metadata
SET d.allow_set_aside = CASE WHEN set_aside OR row.metadata.meta_list_allow IS NULL THEN d.allow_set_aside END,
  d.meta_list_allow = CASE WHEN set_aside THEN allow ELSE d.meta_list_allow END
RETURN d.id AS id, older, d.named IS NOT NULL AS named,
  EXISTS { MATCH (v:DueVector) WHERE v.collection = d.collection } AS due
