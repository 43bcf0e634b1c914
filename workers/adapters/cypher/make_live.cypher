// Shows a version's hidden chunks and hides those of the version before, in one transaction. Hidden links of
// version 0 are left for remove_chunks: they say which chunks, or which titles of chunks that stay, are to go.
// What the chunks state is made into labels, relations and events, and what they no longer state is taken back.
MATCH (d:Document {id: $id})
REMOVE d.write_lock
WITH d WHERE d.version = $version AND d.content_hash = $content_hash
CALL (d) {
  MATCH (d)-[shown:HAS_CHUNK]->(c)
  WITH d, shown, c,
    d.live < $version AND NOT EXISTS { (d)-[:HAS_HIDDEN_CHUNK {version: $version}]->(c) } AS gone
  WHERE gone OR d.title_id <> $title_id
  MERGE (d)-[hidden:HAS_HIDDEN_CHUNK {title_id: coalesce(d.title_id, '')}]->(c)
    ON CREATE SET hidden.version = 0
  SET c.title = CASE WHEN gone THEN c.title ELSE $title END
  FOREACH (link IN CASE WHEN gone THEN [shown] ELSE [] END | DELETE link)
  WITH c WHERE gone AND c.stated IS NOT NULL
  RETURN collect({c: c, lines: c.stated}) AS left
}
CALL (d) {
  MATCH (d)-[hidden:HAS_HIDDEN_CHUNK {version: $version}]->(c)
  // Written under two titles: what was written under the last one counts.
  WITH d, c, collect(hidden) AS links
  WITH d, c, [link IN links WHERE link.title_id = $title_id] AS same,
    [link IN links WHERE link.title_id <> $title_id] AS other, c.stated AS before
  WITH d, c, same, other, head(same + other) AS new, before
  MERGE (d)-[:HAS_CHUNK]->(c)
  SET c.index = new.index, c.start = new.start, c.end = new.end, c.title = $title, c.chapter = new.chapter,
    c.order = new.order, c.stated = new.stated
  WITH c, same, other, before, c.stated AS stated
  FOREACH (link IN same | DELETE link)
  FOREACH (link IN other | SET link.version = 0)
  RETURN count(*) AS moved,
    collect(CASE WHEN before IS NULL THEN null ELSE
      {c: c, lines: [line IN before WHERE NOT line IN coalesce(stated, [])]} END) AS changed,
    collect(CASE WHEN stated IS NULL THEN null ELSE {c: c, lines: stated} END) AS stated
}
WITH d, moved, left + changed AS withdrawn, stated
CALL (withdrawn, stated) {
  WITH withdrawn + stated AS statements
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
CALL (stated) {
  INCLUDE typed_state
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
SET d.live = $version, d.live_hash = $content_hash, d.whole = true, d.status = 'indexed', d.error = null,
  d.uri = $uri, d.title = $title, d.title_id = $title_id, d.chunks = chunks, d.facts = facts
RETURN d.version > 1 OR EXISTS { (d)-[:HAS_HIDDEN_CHUNK {version: 0}]->() } AS older
