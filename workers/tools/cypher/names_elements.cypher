// Returns key elements as nodes to choose from.
MATCH (k:KeyElement) WHERE k.id IN $ids AND k.collection = $collection
RETURN elementId(k) AS id, k.id AS key, k.name AS name, k.aliases AS aliases, labels(k) AS labels
