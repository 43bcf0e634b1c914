// Returns what the two elements of each pair share, over a bounded number of live places of each.
UNWIND range(0, size($pairs) - 1) AS nth
OPTIONAL MATCH (a:KeyElement {id: $pairs[nth][0]}) WHERE a.collection = $collection
OPTIONAL MATCH (b:KeyElement {id: $pairs[nth][1]}) WHERE b.collection = $collection
CALL (a) {
  OPTIONAL MATCH (a)<-[:HAS_KEY_ELEMENT]-(f)<-[:HAS_ATOMIC_FACT]-(c)<-[:HAS_CHUNK]-(d)
  WITH f, c, d LIMIT $places
  RETURN count(f) AS looked, collect(DISTINCT f.id) AS facts, collect(DISTINCT c.id) AS chunks,
    collect(DISTINCT d.id) AS documents
}
CALL (b) {
  OPTIONAL MATCH (b)<-[:HAS_KEY_ELEMENT]-(f)<-[:HAS_ATOMIC_FACT]-(c)<-[:HAS_CHUNK]-(d)
  WITH f, c, d LIMIT $places
  RETURN collect(DISTINCT f.id) AS facts_of, collect(DISTINCT c.id) AS chunks_of,
    collect(DISTINCT d.id) AS documents_of
}
RETURN size([one IN facts WHERE one IN facts_of]) AS facts, size([one IN chunks WHERE one IN chunks_of]) AS chunks,
  size([one IN documents WHERE one IN documents_of]) AS documents, size(documents) AS source_documents,
  looked < $places AS whole
ORDER BY nth
