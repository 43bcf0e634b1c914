// Returns the newest versions of a map in which a relation changed, newest first.
MATCH (v:ConceptVersion)
WHERE v.concept = $concept AND v.version > 0 AND any(one IN v.changes WHERE one CONTAINS $relation)
RETURN v.changes AS changes, coalesce(v.by, '') AS by ORDER BY v.version DESC LIMIT $limit
