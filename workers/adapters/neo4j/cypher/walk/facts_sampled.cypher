// Returns live facts from the beginning of a collection that a sentence was found for, with their key elements.
MATCH (f:AtomicFact)
WHERE f.collection = $collection AND f.id > ''
WITH f ORDER BY f.collection, f.id LIMIT $limit
WHERE EXISTS { (f)<-[:HAS_ATOMIC_FACT {grounded: true}]-()<-[:HAS_CHUNK]-() }
CALL (f) {
  MATCH (f)-[:HAS_KEY_ELEMENT]->(e)
  WITH e LIMIT $elements_scanned
  WITH e ORDER BY e.id
  RETURN collect({id: e.id, name: e.name, aliases: e.aliases, degree: COUNT { (e)<-[:HAS_KEY_ELEMENT]-() }}) AS elements
}
RETURN f.id AS id, f.text AS text, elements ORDER BY id
