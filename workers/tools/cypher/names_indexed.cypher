// Returns nodes that a full-text index finds by words of their names, best first.
CALL db.index.fulltext.queryNodes($index, $query, {limit: $fetched}) YIELD node AS n, score
WHERE none(label IN labels(n) WHERE label IN $hidden_labels OR label = 'KeyElement')
  AND (NOT $own OR coalesce(n.collection, $collection) = $collection)
RETURN elementId(n) AS id, labels(n) AS labels, score,
  n.name AS name, n.title AS title, n.aliases AS aliases, n.alias AS alias, n.id AS key
ORDER BY score DESC, id LIMIT $limit
