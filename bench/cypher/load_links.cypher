// Joins chunks with one another and with their facts.
CALL () {
  UNWIND $holds AS row
  MATCH (c:Chunk {id: row.chunk}), (f:AtomicFact {id: row.fact})
  CREATE (c)-[hold:HAS_ATOMIC_FACT]->(f)
  SET hold = row.place
}
CALL () {
  UNWIND $next AS row
  MATCH (before:Chunk {id: row[0]}), (after:Chunk {id: row[1]})
  CREATE (before)-[:NEXT]->(after)
}
