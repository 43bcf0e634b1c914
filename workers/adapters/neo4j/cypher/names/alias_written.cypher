// Returns which of some full names facts of live documents write so, and use for a person.
UNWIND $names AS row
MATCH (k:KeyElement {id: row.id})
WHERE k.collection = $collection
OPTIONAL MATCH (k)-[:MERGED_INTO]->(target)
WITH row, k, coalesce(target, k) AS home
CALL (row, k, home) {
  MATCH (home)<-[held:HAS_KEY_ELEMENT]-(f)
  WHERE CASE WHEN held.via IS NULL THEN k = home ELSE k.id IN held.via END AND f.text CONTAINS row.spelled
    AND EXISTS { (f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() }
  RETURN count(f) AS facts, count(CASE WHEN f.text =~ row.person THEN 1 END) AS person
}
WITH row, facts, person
WHERE facts > 0
RETURN row.id AS id, person > 0 AS person
