// Returns the core that a relation of a concept map belongs to.
MATCH (core:MappedConcept)-[:CONCEPT_RELATION {id: $relation}]->()
WHERE core.collection = $collection
RETURN core {.id, .name} AS core
