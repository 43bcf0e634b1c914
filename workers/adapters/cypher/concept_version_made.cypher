// Returns the version that a job made of a map already.
MATCH (v:ConceptVersion {id: $id})
RETURN v.version AS version
