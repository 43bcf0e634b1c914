// Makes facts with names of several lead to whom they mean there as well, and to no other by them; keeps which documents
// tell it. Locks facts, then elements, by id. Returns the names of which something changed.
UNWIND $names AS row
MATCH (k:KeyElement {id: row.id})
WHERE k.collection = $collection
OPTIONAL MATCH (k)-[:MERGED_INTO]->(target)
WITH row, k, coalesce(target, k) AS home
CALL (k, home) {
  MATCH (home)<-[held:HAS_KEY_ELEMENT]-(f)
  WHERE k = home OR k.id IN held.via
  WITH f ORDER BY f.id
  REMOVE f.write_lock
  RETURN collect(f) AS facts
}
CALL (row, k, home, facts) {
  CALL (row, k, home, facts) {
    UNWIND [k, home] AS one
    RETURN one
    UNION
    UNWIND row.bearers AS id
    MATCH (one:KeyElement {id: id})
    RETURN one
    UNION
    UNWIND row.bearers AS id
    MATCH (:KeyElement {id: id})-[:MERGED_INTO]->(one)
    RETURN one
    UNION
    UNWIND facts AS f
    MATCH (f)-[placed:HAS_KEY_ELEMENT]->(one)
    WHERE k.id IN placed.via
    RETURN one
  }
  WITH DISTINCT one ORDER BY one.id
  REMOVE one.write_lock
  RETURN count(one) AS locked
}
CALL (row, home) {
  UNWIND row.places AS place
  MATCH (named:KeyElement {id: place.bearer})
  OPTIONAL MATCH (named)-[:MERGED_INTO]->(target)
  WITH place.fact AS fact, coalesce(target, named) AS whom, home
  WHERE whom <> home
  RETURN collect({fact: fact, home: whom}) AS wanted
}
CALL (k, home, facts, wanted) {
  UNWIND facts AS f
  MATCH (f)-[placed:HAS_KEY_ELEMENT]->(other)
  WHERE k.id IN placed.via AND other <> home AND NOT any(one IN wanted WHERE one.fact = f.id AND one.home = other)
  WITH placed, other, [one IN placed.via WHERE one <> k.id] AS kept
  SET placed.via = CASE WHEN kept = [other.id] THEN null ELSE kept END
  FOREACH (one IN CASE WHEN kept = [] THEN [placed] ELSE [] END | DELETE one)
  RETURN count(*) AS taken
}
CALL (k, facts, wanted) {
  UNWIND facts AS f
  UNWIND [one IN wanted WHERE one.fact = f.id | one.home] AS whom
  // One that leads there by a name of its own needs no other.
  WITH k, f, whom WHERE NOT EXISTS { (f)-[:HAS_KEY_ELEMENT]->(whom) }
  CREATE (f)-[:HAS_KEY_ELEMENT {via: [k.id]}]->(whom)
  RETURN count(*) AS made
}
WITH row, k, taken + made AS links, coalesce(k.placed, []) <> row.lines AS differs
SET k.placed = CASE row.lines WHEN [] THEN null ELSE row.lines END
WITH k, links, differs WHERE links > 0 OR differs
RETURN k.id AS id
