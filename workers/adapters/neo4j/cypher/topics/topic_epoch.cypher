// Returns the newest epoch of a collection's topics.
MATCH (e:FactTopicEpoch)
WHERE e.collection = $collection AND e.number IS NOT NULL
RETURN e.id AS id, e.built_at AS built_at, e.facts AS facts, e.documents AS documents, e.topics AS topics
ORDER BY e.number DESC LIMIT 1
