// Returns a page of the topics of an epoch by key, with all their facts.
MATCH (t:FactTopic)
WHERE t.key > $after AND t.key < $end
WITH t ORDER BY t.key LIMIT $limit
RETURN t.key AS key, t {.id, .level, .parent, .elements, .documents} AS topic, t.head AS head, COLLECT {
  UNWIND range(1, t.pieces) AS nth
  MATCH (p:FactTopicPiece {key: t.key + '/' + nth})
  RETURN p.facts ORDER BY nth
} AS pieces
ORDER BY key
