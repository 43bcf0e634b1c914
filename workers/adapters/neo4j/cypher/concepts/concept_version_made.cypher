// Returns the version that a job, or an edit by hand, made of a map already.
MATCH (v:ConceptVersion {id: $id})
RETURN v.version AS version, v.changes AS changes
