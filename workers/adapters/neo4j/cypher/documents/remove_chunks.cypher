// Removes some chunks that no version needs, titles that chunks had, and what nothing else holds; a deleted
// document with its last.
MATCH (d:Document {id: $id})
REMOVE d.write_lock
FOREACH (name IN [name IN keys(d) WHERE d.status = 'deleting' AND name STARTS WITH 'meta_'] | REMOVE d[name])
WITH d
CALL (d) {
  MATCH (d)-[hidden:HAS_HIDDEN_CHUNK]->(c)
  WHERE hidden.version < d.version
  WITH d, hidden, c LIMIT $limit
  WITH d, hidden, c, hidden.title_id AS title_id
  DELETE hidden
  WITH c, title_id, NOT EXISTS { (d)-[:HAS_CHUNK|HAS_HIDDEN_CHUNK]->(c) } AS gone
  RETURN collect(DISTINCT CASE WHEN gone THEN c END) AS chunks, collect(DISTINCT c) AS touched,
    collect(DISTINCT title_id) AS left
}
// Links of chunks that stayed, to facts that the live version no longer draws from them. A live text that came back while
// another was written has a higher version than its links (see open_version), so these are held against `written`.
CALL (d) {
  MATCH (d)-[:HAS_CHUNK]->(c)-[stale:HAS_ATOMIC_FACT]->(f)
  WHERE d.live = d.version AND stale.version < d.written
  RETURN collect(stale) AS stale, collect(f) AS loosened, collect(DISTINCT d.title_id) AS held
}
// Locks in the writers' order, facts before elements, by id; only then is it known what else holds them.
CALL (touched, loosened) {
  CALL (touched, loosened) {
    UNWIND touched AS c
    MATCH (c)-[:HAS_ATOMIC_FACT]->(f)
    RETURN f
    UNION
    UNWIND loosened AS f
    RETURN f
  }
  WITH f ORDER BY f.id
  REMOVE f.write_lock
  RETURN collect(f) AS facts
}
WITH d, stale, chunks, [c IN chunks | c.id] AS chunk_ids, facts, left + held AS titles
FOREACH (hold IN stale | DELETE hold)
FOREACH (c IN chunks | DETACH DELETE c)
WITH d, chunk_ids, titles, facts, [f IN facts WHERE NOT EXISTS { (f)<-[:HAS_ATOMIC_FACT]-() }] AS orphans
// A fact that stays loses a title that no place of it has any more; the mark names another one that has it.
CALL (titles, facts) {
  UNWIND titles AS title_id
  MATCH (named:KeyElement {id: title_id})
  OPTIONAL MATCH (named)-[:MERGED_INTO]->(target)
  WITH DISTINCT title_id, coalesce(target, named) AS k
  UNWIND facts AS f
  MATCH (f)-[titled:HAS_KEY_ELEMENT]->(k)
  // Where a merge brought others together with it, it stays as one of them.
  WHERE titled.title IS NOT NULL AND coalesce(titled.via, [k.id]) = [title_id]
    AND EXISTS { (f)<-[:HAS_ATOMIC_FACT]-() }
  WITH titled, k, head(COLLECT {
    MATCH (f)<-[:HAS_ATOMIC_FACT]-(c)<-[link:HAS_CHUNK|HAS_HIDDEN_CHUNK]-(other)
    WHERE CASE type(link) WHEN 'HAS_CHUNK' THEN other.title_id ELSE link.title_id END = title_id
    RETURN c.id ORDER BY type(link) LIMIT 1
  }) AS other
  SET titled.title = other
  RETURN collect(CASE WHEN other IS NULL THEN titled END) AS untitled,
    collect(DISTINCT CASE WHEN other IS NULL THEN k END) AS bereft
}
CALL (orphans, bereft) {
  CALL (orphans, bereft) {
    UNWIND bereft AS k
    RETURN k, true AS held
    UNION
    UNWIND bereft AS home
    MATCH (k)-[:MERGED_INTO]->(home)
    RETURN k, false AS held
    UNION
    UNWIND orphans AS f
    MATCH (f)-[:HAS_KEY_ELEMENT]->(k)
    RETURN k, true AS held
    UNION
    UNWIND orphans AS f
    MATCH (f)-[:HAS_KEY_ELEMENT]->()<-[:MERGED_INTO]-(k)
    RETURN k, false AS held
  }
  WITH DISTINCT k, held ORDER BY k.id
  REMOVE k.write_lock
  RETURN collect(CASE WHEN held THEN k END) AS elements
}
WITH d, chunk_ids, orphans, untitled, elements, [f IN orphans | f.id] AS fact_ids
FOREACH (titled IN untitled | DELETE titled)
FOREACH (f IN orphans | DETACH DELETE f)
WITH d, chunk_ids, fact_ids, [k IN elements WHERE NOT EXISTS { (k)<-[:HAS_KEY_ELEMENT]-() }] AS lone
// A redirect goes with the element it leads to, and so does the record of a merge that stood.
CALL (lone) {
  UNWIND lone AS k
  OPTIONAL MATCH (redirect)-[:MERGED_INTO]->(k)
  WITH k, collect(redirect) AS redirects
  UNWIND [k] + redirects AS gone
  RETURN collect(gone) AS leaving, collect(gone.id) AS element_ids
}
CALL (element_ids) {
  MATCH (m:ElementMerge)
  WHERE m.source IN element_ids AND m.undone IS NULL
  DELETE m
}
WITH d, chunk_ids, fact_ids, leaving, element_ids
FOREACH (k IN leaving | DETACH DELETE k)
WITH d, chunk_ids, fact_ids, element_ids,
  EXISTS { (d)-[hidden:HAS_HIDDEN_CHUNK]->() WHERE hidden.version < d.version } AS more,
  d.status = 'deleting' AND NOT EXISTS { (d)--() } AS finished
FOREACH (done IN CASE WHEN finished THEN [d] ELSE [] END | DELETE done)
RETURN chunk_ids AS chunks, fact_ids AS facts, element_ids AS elements, more
