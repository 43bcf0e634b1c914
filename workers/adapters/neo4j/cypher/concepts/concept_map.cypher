// Returns a concept with all that is kept of its map, in every state.
MATCH (core:MappedConcept {id: $id})
WHERE core.collection = $collection
CALL (core) {
  MATCH (core)-[r:CONCEPT_RELATION]->(other)
  RETURN collect(r {.*, source: core.id, target: other.id}) AS relations
}
RETURN core {.*} AS concept, relations
