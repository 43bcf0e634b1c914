// Returns how many live documents with some short names tell of a person by them, or have the full name too, and in how
// many it is not clear that the full name is meant: it is where the document has it too; and where it tells of a person,
// if another document has both, or if the full name stands beside the same names.
UNWIND $names AS row
MATCH (k:KeyElement {id: row.id})
WHERE k.collection = $collection
OPTIONAL MATCH (k)-[:MERGED_INTO]->(target)
WITH row, k, coalesce(target, k) AS home
CALL (row) {
  UNWIND row.full AS id
  MATCH (whole:KeyElement {id: id})
  OPTIONAL MATCH (whole)-[:MERGED_INTO]->(elsewhere)
  WITH whole, coalesce(elsewhere, whole) AS full
  MATCH (full)<-[held:HAS_KEY_ELEMENT]-(f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-(d)
  WHERE CASE WHEN held.via IS NULL THEN whole = full ELSE whole.id IN held.via END
  MATCH (f)-[other:HAS_KEY_ELEMENT]->(p)
  // As they are named, whatever they lead to.
  UNWIND coalesce(other.via, [p.id]) AS near
  RETURN collect(DISTINCT d.id) AS full_in, collect(DISTINCT near) AS near_full
}
CALL (row, k, home, full_in, near_full) {
  MATCH (home)<-[held:HAS_KEY_ELEMENT]-(f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-(d)
  WHERE CASE WHEN held.via IS NULL THEN k = home ELSE k.id IN held.via END
  CALL (row, k, f, near_full) {
    MATCH (f)-[other:HAS_KEY_ELEMENT]->(p)
    UNWIND coalesce(other.via, [p.id]) AS near
    WITH DISTINCT row, k, f, near, near_full
    WHERE near IN near_full AND near <> k.id AND NOT near IN row.full
    MATCH (q:KeyElement {id: near})
    WITH f, split(q.name, ' ')[0] AS first, q
    WHERE NOT q.name =~ $general AND f.text CONTAINS toUpper(left(first, 1)) + substring(first, 1)
    RETURN count(q) AS shared
  }
  WITH d.id IN full_in AS full, sum(shared) AS shared, d,
    sum(CASE WHEN f.text =~ row.person THEN 1 ELSE 0 END) AS person,
    sum(CASE WHEN f.text =~ row.other THEN 1 ELSE 0 END) AS other
  WITH collect({full: full, beside: shared > 0, person: person > 0, other: other > 0}) AS texts
  WITH texts, any(text IN texts WHERE text.full) AS both
  RETURN size([text IN texts WHERE text.full OR text.person]) AS telling,
    size([text IN texts WHERE text.other OR NOT (text.full OR (text.person AND (both OR text.beside)))]) AS unfit
}
RETURN row.id AS id, telling, unfit
