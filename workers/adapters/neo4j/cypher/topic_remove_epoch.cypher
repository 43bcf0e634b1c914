// Removes an epoch that has no topics any more.
MATCH (e:TopicEpoch {id: $id})
DELETE e
