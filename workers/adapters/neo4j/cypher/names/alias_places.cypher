// Returns where live documents use some names of several, with what their facts lead to and whether by the name; which
// full names these documents hold, and whether they use the name for something else, or beside one of these.
UNWIND $names AS row
MATCH (k:KeyElement {id: row.id})
WHERE k.collection = $collection AND COUNT { (k)<-[:HAS_KEY_ELEMENT]-() } <= $most
CALL (row) {
  UNWIND row.full AS id
  MATCH (whole:KeyElement {id: id})
  OPTIONAL MATCH (whole)-[:MERGED_INTO]->(elsewhere)
  WITH whole, coalesce(elsewhere, whole) AS home
  MATCH (home)<-[held:HAS_KEY_ELEMENT]-(f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-(d)
  WHERE CASE WHEN held.via IS NULL THEN whole = home ELSE whole.id IN held.via END
  WITH whole.id AS id, collect(DISTINCT d.id) AS documents
  RETURN collect({id: id, documents: documents}) AS full
}
MATCH (k)<-[held:HAS_KEY_ELEMENT]-(f)<-[hold:HAS_ATOMIC_FACT]-(c)<-[:HAS_CHUNK]-(d)
WHERE held.title IS NULL
WITH row, k, full, d.id AS document, collect({fact: f.id, chunk: c.index, start: hold.start,
    leads: COLLECT { MATCH (f)-[link:HAS_KEY_ELEMENT]->(other) WHERE other <> k RETURN [other.id, k.id IN link.via] }}) AS uses,
  any(text IN collect(f.text) WHERE text =~ row.other) AS other,
  any(text IN collect(f.text) WHERE any(name IN row.written WHERE text CONTAINS name)) AS beside
RETURN row.id AS id, document, uses, other, beside, [one IN full WHERE document IN one.documents | one.id] AS whole
