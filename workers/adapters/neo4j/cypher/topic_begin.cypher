// Makes an epoch that readers do not see yet.
MERGE (e:FactTopicEpoch {id: $id})
  ON CREATE SET e.collection = $collection, e.job = $job, e.touched = timestamp()
RETURN e.id AS id
