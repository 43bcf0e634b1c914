// Returns the active relations between some concepts, whichever map they belong to.
MATCH (core:MappedConcept)-[r:CONCEPT_RELATION]->(other:MappedConcept)
WHERE core.id IN $ids AND other.id IN $ids AND core.collection = $collection AND r.state = 'active'
RETURN r {.*, source: core.id, target: other.id} AS relation
