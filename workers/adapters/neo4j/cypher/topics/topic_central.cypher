// Returns the first facts of some topics that are live now, with their places among all; pieces are read as needed.
MATCH (e:FactTopicEpoch {id: $epoch})
WHERE e.collection = $collection
UNWIND $topics AS name
MATCH (t:FactTopic {key: e.id + '/' + name})
CALL (t) {
  UNWIND range(0, t.pieces) AS piece
  OPTIONAL MATCH (p:FactTopicPiece {key: t.key + '/' + piece})
  WITH piece, CASE piece WHEN 0 THEN t.head ELSE coalesce(p.facts, []) END AS facts
  UNWIND range(0, size(facts) - 1) AS nth
  MATCH (f:AtomicFact {id: facts[nth]})
  WHERE EXISTS { (f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() }
  WITH piece, nth, f.id AS fact LIMIT $limit
  RETURN collect([piece, nth, fact]) AS facts
}
RETURN name, facts
