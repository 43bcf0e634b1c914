// Adds topics, with the facts that they do not hold themselves, to an epoch that readers do not see yet.
MATCH (e:TopicEpoch {id: $epoch})
SET e.touched = timestamp()
WITH e
CALL (e) {
  UNWIND $topics AS one
  MERGE (t:Topic {key: one.key})
  SET t.epoch = e.id, t += one.fields
  RETURN count(t) AS topics
}
CALL () {
  UNWIND $pieces AS one
  MERGE (p:TopicPiece {key: one.key})
  SET p.facts = one.facts
  RETURN count(p) AS pieces
}
RETURN topics, pieces
