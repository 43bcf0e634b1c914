// Reads one property of a key element: how an answer finds again what a visit read there.
MATCH (n:KeyElement {id: $id})
WHERE n.collection = $collection
RETURN n.name AS node, $property AS property, n[$property] AS value
