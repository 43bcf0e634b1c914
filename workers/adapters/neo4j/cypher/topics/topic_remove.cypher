// Removes some of the topics and pieces of an epoch; returns how many were left to be removed.
CALL () {
  MATCH (t:FactTopic) WHERE t.key STARTS WITH $prefix
  RETURN t AS n LIMIT $limit
  UNION
  MATCH (p:FactTopicPiece) WHERE p.key STARTS WITH $prefix
  RETURN p AS n LIMIT $limit
}
DELETE n
RETURN count(*) AS removed
