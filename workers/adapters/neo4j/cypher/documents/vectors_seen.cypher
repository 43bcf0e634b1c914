// Forgets that some vectors were due.
MATCH (v:DueVector)
WHERE v.collection = $collection AND v.id IN $ids
DELETE v
