// Returns a node's own properties.
MATCH (n) WHERE elementId(n) = $node AND (NOT $own OR coalesce(n.collection, $collection) = $collection)
RETURN properties(n) AS told
