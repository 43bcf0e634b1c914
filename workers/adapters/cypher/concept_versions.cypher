// Returns the newest versions of a concept's map, newest first.
MATCH (v:ConceptVersion)
WHERE v.concept = $id AND v.version > 0 AND v.collection = $collection
RETURN v {.*} AS version ORDER BY v.version DESC LIMIT $limit
