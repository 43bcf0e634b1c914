// Joins facts with their key elements; a fact that was there already has some of them. The third of a row is the
// chunk whose title alone names the element.
UNWIND $mentions AS row
MATCH (f:AtomicFact {id: row[0]}), (k:KeyElement {id: row[1]})
MERGE (f)-[held:HAS_KEY_ELEMENT]->(k)
  ON CREATE SET held.title = row[2]
  ON MATCH SET held.title = CASE WHEN row[2] IS NULL THEN null ELSE held.title END
