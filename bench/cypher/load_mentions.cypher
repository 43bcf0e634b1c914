// Joins facts with their key elements; a fact that was there already has some of them.
UNWIND $mentions AS row
MATCH (f:AtomicFact {id: row[0]}), (k:KeyElement {id: row[1]})
MERGE (f)-[:HAS_KEY_ELEMENT]->(k)
