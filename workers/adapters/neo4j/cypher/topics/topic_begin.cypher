// Makes an epoch that readers do not see yet, and notes which one was the newest before it.
OPTIONAL MATCH (other:FactTopicEpoch)
WHERE other.collection = $collection AND other.number IS NOT NULL
WITH coalesce(max(other.number), 0) AS newest
MERGE (e:FactTopicEpoch {id: $id})
  ON CREATE SET e.collection = $collection, e.job = $job, e.touched = timestamp(), e.after = newest
RETURN e.id AS id
