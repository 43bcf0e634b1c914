// Returns of some names how many facts of live documents hold them, in how many they stand for something else, and how
// many are of documents that do not claim them.
UNWIND $names AS row
MATCH (k:KeyElement {id: row.id})
WHERE k.collection = $collection
OPTIONAL MATCH (k)-[:MERGED_INTO]->(target)
WITH row, k, coalesce(target, k) AS home
CALL (row, k, home) {
  MATCH (home)<-[held:HAS_KEY_ELEMENT]-(f)
  WHERE CASE WHEN held.via IS NULL THEN k = home ELSE k.id IN held.via END
    AND EXISTS { (f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() }
  WITH row, f, EXISTS {
    (f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-(d) WHERE NOT d.id IN row.documents
  } AS outside
  RETURN count(f) AS facts, count(CASE WHEN f.text =~ row.against THEN 1 END) AS against,
    count(CASE WHEN outside THEN 1 END) AS elsewhere
}
RETURN row.id AS id, facts, against, elsewhere
