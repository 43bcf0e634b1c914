// Writes a whole concept map whose concepts are there and locked; nothing where a map of it is there already.
MATCH (core:MappedConcept {id: $concept.id})
WHERE core.version = 0
SET core += $concept
WITH core
CALL (core) {
  UNWIND $relations AS one
  MATCH (other:MappedConcept {id: one.target})
  MERGE (core)-[r:CONCEPT_RELATION {id: one.fields.id}]->(other)
  SET r += one.fields
}
CALL (core) {
  UNWIND $versions AS one
  MERGE (v:ConceptVersion {id: one.id})
  SET v += one
}
RETURN core.id AS id
