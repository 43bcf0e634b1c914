// Returns the key elements of a collection that began or ceased to lead to another, and whose vectors are to be looked at.
MATCH (v:DueVector)
WHERE v.collection = $collection
RETURN v.id AS id, v.element AS element LIMIT $limit
