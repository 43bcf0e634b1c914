// Returns the kept versions of a collection, or whose address or title contains a text.
MATCH (v:KeptVersion)
WHERE ($collection IS NULL OR v.collection = $collection)
  AND ($name IS NULL OR v.uri CONTAINS $name OR v.title CONTAINS $name OR v.id CONTAINS $name)
RETURN v.key AS key, v.collection AS collection, v.title AS title
