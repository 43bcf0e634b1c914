// Returns the newest versions of a concept's map, newest first; where $before is given, of the older ones.
MATCH (v:ConceptVersion)
WHERE v.concept = $id AND v.version > 0 AND v.collection = $collection
  AND ($before IS NULL OR v.version < $before)
RETURN v {.*} AS version ORDER BY v.version DESC LIMIT $limit
