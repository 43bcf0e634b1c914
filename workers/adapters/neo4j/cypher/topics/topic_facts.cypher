// Returns a page of a collection's facts by id, with what they mention and the documents that state them; none: not live.
MATCH (f:AtomicFact)
WHERE f.collection = $collection AND f.id > $after
WITH f ORDER BY f.collection, f.id LIMIT $limit
RETURN f.id AS id, f.text AS text,
  COLLECT { MATCH (f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-(d) RETURN DISTINCT d.id } AS documents,
  COLLECT {
    MATCH (f)-[:HAS_KEY_ELEMENT]->(k)
    OPTIONAL MATCH (k)-[:MERGED_INTO]->(target)
    WITH DISTINCT coalesce(target, k) AS element
    // Of what many documents' titles name only some are looked at, the same ones always.
    ORDER BY element.name LIMIT $elements_scanned
    RETURN [element.id, element.name]
  } AS elements
ORDER BY id
