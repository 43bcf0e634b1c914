// Returns topics by key and all that they lie within, coarsest first: see topic_page.
MATCH (e:FactTopicEpoch {id: $epoch})
WHERE e.collection = $collection
UNWIND $ids AS name
MATCH (asked:FactTopic {key: e.id + '/' + name})
OPTIONAL MATCH (above:FactTopic {key: e.id + '/' + asked.parent})
OPTIONAL MATCH (top:FactTopic {key: e.id + '/' + above.parent})
UNWIND [topic IN [top, above, asked] WHERE topic IS NOT NULL] AS t
WITH DISTINCT t
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
ORDER BY t.level, t.documents DESC, t.facts DESC, t.id
