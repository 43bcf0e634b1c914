// Makes an epoch the newest of its collection's topics.
MATCH (e:FactTopicEpoch {id: $id})
WHERE e.collection = $collection
OPTIONAL MATCH (other:FactTopicEpoch)
WHERE other.collection = $collection AND other.number IS NOT NULL AND other.id <> e.id
WITH e, coalesce(max(other.number), 0) + 1 AS number
SET e.number = coalesce(e.number, number), e += $record
RETURN e.number AS number
