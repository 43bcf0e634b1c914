// Notes at key elements what live chunks of some documents state of names; returns whose meaning each bears on.
UNWIND $ids AS id
MATCH (d:Document {id: id})
CALL (d) {
  MATCH (d)-[link:HAS_CHUNK|HAS_HIDDEN_CHUNK]->(c)
  WHERE c.names IS NOT NULL AND (type(link) = 'HAS_CHUNK' OR link.version < d.version)
  UNWIND c.names AS line
  RETURN collect(DISTINCT {chunk: c.id, line: line, parts: split(line, '\t'), live: type(link) = 'HAS_CHUNK'}) AS rows
}
CALL (d) {
  MATCH (d)-[:HAS_CHUNK|HAS_HIDDEN_CHUNK]->()-[:HAS_ATOMIC_FACT]->()-[held:HAS_KEY_ELEMENT]->(k)
  WHERE k.claimed OR held.via IS NOT NULL
  UNWIND coalesce(held.via, []) + CASE WHEN k.claimed THEN [k.id] ELSE [] END AS id
  RETURN collect(DISTINCT id) AS marked
}
CALL (d, rows) {
  UNWIND rows AS row
  UNWIND CASE row.parts[0] WHEN 'A' THEN row.parts[1..3] ELSE row.parts[1..2] END AS id
  WITH DISTINCT d, id
  MATCH (k:KeyElement {id: id})
  WHERE k.collection = d.collection
  RETURN collect(k) AS borne
}
WITH collect({id: d.id, collection: d.collection, marked: marked, rows: rows, borne: borne}) AS documents,
  collect(borne) AS all_borne
CALL (documents) {
  UNWIND documents AS d
  UNWIND [row IN d.rows WHERE row.live AND row.parts[0] = 'A'] AS row
  MATCH (a:KeyElement {id: row.parts[1]}), (n:KeyElement {id: row.parts[2]})
  WHERE a.collection = d.collection AND n.collection = d.collection
  WITH DISTINCT a, n, row.chunk AS chunk, row.line AS line ORDER BY a.id, n.id, chunk
  MERGE (a)-[:MAY_MEAN {chunk: chunk, line: line}]->(n)
  RETURN collect(DISTINCT a) + collect(DISTINCT n) AS named
}
CALL (named, all_borne) {
  UNWIND all_borne + [named] AS some
  UNWIND some AS k
  WITH DISTINCT k WHERE k.claimed IS NULL
  WITH k ORDER BY k.id
  SET k.claimed = true
  // What is being written was not told that it is to look at this one when it becomes live.
  WITH k
  MATCH (k)<-[:HAS_KEY_ELEMENT]-()<-[:HAS_ATOMIC_FACT]-()<-[:HAS_HIDDEN_CHUNK]-(other)
  WHERE other.named IS NULL
  WITH DISTINCT other ORDER BY other.id
  SET other.named = true
  RETURN count(other) AS others
}
UNWIND documents AS d
RETURN d.id AS id, d.collection AS collection, d.marked + [k IN d.borne | k.id] AS ids
