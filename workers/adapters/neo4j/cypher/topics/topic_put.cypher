// Adds topics, with the facts that they do not hold themselves, to an epoch that readers do not see yet.
MATCH (e:FactTopicEpoch {id: $epoch})
SET e.touched = timestamp()
// Read under the lock.
WITH e WHERE e.retired IS NULL
CALL (e) {
  UNWIND $topics AS one
  MERGE (t:FactTopic {key: one.key})
  SET t.epoch = e.id, t += one.fields
  RETURN count(t) AS topics
}
CALL () {
  UNWIND $pieces AS one
  MERGE (p:FactTopicPiece {key: one.key})
  SET p.facts = one.facts
  RETURN count(p) AS pieces
}
RETURN topics, pieces
