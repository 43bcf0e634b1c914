// Returns a node's relations in both directions, with what stands at their other ends.
MATCH (n) WHERE elementId(n) = $node AND (NOT $own OR coalesce(n.collection, $collection) = $collection)
MATCH (n)-[r]-(m)
WHERE NOT type(r) IN $hidden_types AND ($relation IS NULL OR type(r) = $relation)
  AND ($target IS NULL OR elementId(m) = $target)
  AND none(label IN labels(m) WHERE label IN $hidden_labels)
  AND (NOT $own OR coalesce(m.collection, $collection) = $collection)
// As in events: one that is deleted meanwhile.
WITH n, r, m, m {.*} AS node WHERE node <> {}
RETURN elementId(r) AS relationship, type(r) AS relation, startNode(r) = n AS outgoing, properties(r) AS told,
  {id: elementId(m), labels: labels(m), name: node.name, title: node.title, aliases: node.aliases, key: node.id,
   description: coalesce(node.description, node.summary, node.tagline), chapter: node.chapter, order: node.order,
   date: node.date} AS other
LIMIT $scanned
