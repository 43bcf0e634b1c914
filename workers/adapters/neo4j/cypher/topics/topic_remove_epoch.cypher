// Removes an epoch that has no topics any more.
MATCH (e:FactTopicEpoch {id: $id})
DELETE e
