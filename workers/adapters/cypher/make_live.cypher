// Shows a version's hidden chunks and hides those of the version before, in one transaction.
MATCH (d:Document {id: $id})
REMOVE d.write_lock
WITH d WHERE d.version = $version AND d.content_hash = $content_hash
CALL (d) {
  WITH d WHERE d.live < $version
  MATCH (d)-[shown:HAS_CHUNK]->(c)
  WHERE NOT EXISTS { (d)-[:HAS_HIDDEN_CHUNK {version: $version}]->(c) }
  DELETE shown
  MERGE (d)-[hidden:HAS_HIDDEN_CHUNK]->(c)
  SET hidden.version = 0
}
CALL (d) {
  MATCH (d)-[hidden:HAS_HIDDEN_CHUNK {version: $version}]->(c)
  MERGE (d)-[:HAS_CHUNK]->(c)
  SET c.index = hidden.index, c.start = hidden.start, c.end = hidden.end
  DELETE hidden
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
SET d.live = $version, d.live_hash = $content_hash, d.whole = true, d.status = 'indexed', d.error = null,
  d.uri = $uri, d.title = $title, d.chunks = chunks, d.facts = facts
RETURN d.version > 1 AS older
