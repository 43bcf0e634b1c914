// Sees to it that nobody writes to an epoch any more; waits for who does just now.
MATCH (e:FactTopicEpoch {id: $id})
SET e.retired = true
