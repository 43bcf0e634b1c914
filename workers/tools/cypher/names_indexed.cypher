// Returns nodes that a full-text index finds by words of their names, best first.
CALL db.index.fulltext.queryNodes($index, $query, {limit: $fetched}) YIELD node AS n, score
WHERE none(label IN labels(n) WHERE label IN $hidden_labels OR label = 'KeyElement')
  AND (NOT $own OR coalesce(n.collection, $collection) = $collection)
// As in events: one that is deleted meanwhile.
WITH n, score, n {.*} AS node WHERE node <> {}
RETURN elementId(n) AS id, labels(n) AS labels, score,
  node.name AS name, node.title AS title, node.aliases AS aliases, node.alias AS alias, node.id AS key
ORDER BY score DESC, id LIMIT $limit
