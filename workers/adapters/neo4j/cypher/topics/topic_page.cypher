// Returns the largest topics of a level, or within a topic: its label is the first of its facts that is live now.
MATCH (e:FactTopicEpoch {id: $epoch})
WHERE e.collection = $collection
CALL (e) {
  WITH e WHERE $parent IS NULL
  MATCH (t:FactTopic {epoch: e.id, level: $level})
  RETURN t
  UNION ALL
  WITH e WHERE $parent IS NOT NULL
  MATCH (t:FactTopic {epoch: e.id, parent: $parent})
  WHERE t.level = $level
  RETURN t
}
WITH t ORDER BY t.documents DESC, t.facts DESC, t.id LIMIT $limit
RETURN t {.id, .level, .parent, .facts, .documents} AS topic, COLLECT {
  WITH t.head[..$looked_at] AS facts
  UNWIND range(0, size(facts) - 1) AS nth
  MATCH (f:AtomicFact {id: facts[nth]})
  WHERE EXISTS { (f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() }
  RETURN [f.id, f.text] ORDER BY nth LIMIT 1
} AS label, COLLECT {
  WITH t.elements AS elements
  UNWIND range(0, size(elements) - 1) AS nth
  MATCH (k:KeyElement {id: elements[nth]})
  WHERE EXISTS { (k)<-[:HAS_KEY_ELEMENT]-()<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() }
  RETURN [k.name, k.aliases] ORDER BY nth
} AS elements
ORDER BY t.documents DESC, t.facts DESC, t.id
