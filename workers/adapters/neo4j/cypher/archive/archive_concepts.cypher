// Returns a page of a collection's concept maps by id, each whole: relations in every state, and all versions. The lock keeps
// the reader from seeing half of a version.
MATCH (core:MappedConcept)
WHERE core.collection = $collection AND core.version > 0 AND core.id > $after
WITH core ORDER BY core.id LIMIT $limit
REMOVE core.write_lock
RETURN core {.*} AS concept,
  COLLECT { MATCH (core)-[r:CONCEPT_RELATION]->(other) RETURN r {.*, target_name: other.name} } AS relations,
  COLLECT { MATCH (v:ConceptVersion) WHERE v.concept = core.id AND v.version > 0 RETURN v {.*} } AS versions
