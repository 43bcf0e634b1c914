// Returns the kept versions of a document.
MATCH (v:KeptVersion {id: $id})
WHERE $collection IS NULL OR v.collection = $collection
RETURN v.key AS key, v.collection AS collection, v.title AS title
