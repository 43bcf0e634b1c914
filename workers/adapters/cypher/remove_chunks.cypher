// Removes some chunks that no version needs, and what nothing else holds; a deleted document with its last.
MATCH (d:Document {id: $id})
REMOVE d.write_lock
WITH d
CALL (d) {
  MATCH (d)-[hidden:HAS_HIDDEN_CHUNK]->(c)
  WHERE hidden.version < d.version
  WITH d, hidden, c LIMIT $limit
  DELETE hidden
  WITH d, c WHERE NOT EXISTS { (d)-[:HAS_CHUNK]->(c) }
  RETURN collect(c) AS chunks, collect(c.id) AS chunk_ids
}
// Links of chunks that stayed, to facts that the live version no longer draws from them.
CALL (d) {
  MATCH (d)-[:HAS_CHUNK]->(c)-[stale:HAS_ATOMIC_FACT]->(f)
  WHERE d.live = d.version AND stale.version < d.version
  RETURN collect(stale) AS stale, collect(f) AS loosened
}
// Locks in the writers' order, facts before elements, by id; only then is it known what else holds them.
CALL (chunks, loosened) {
  CALL (chunks, loosened) {
    UNWIND chunks AS c
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
FOREACH (hold IN stale | DELETE hold)
FOREACH (c IN chunks | DETACH DELETE c)
WITH d, chunk_ids, [f IN facts WHERE NOT EXISTS { (f)<-[:HAS_ATOMIC_FACT]-() }] AS orphans
CALL (orphans) {
  CALL (orphans) {
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
WITH d, chunk_ids, orphans, elements, [f IN orphans | f.id] AS fact_ids
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
