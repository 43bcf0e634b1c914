// Returns a node's own properties.
MATCH (n) WHERE elementId(n) = $node AND coalesce(n.collection, $collection) = $collection
RETURN properties(n) AS told
