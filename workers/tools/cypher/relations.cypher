// Returns a node's relations in both directions, with what stands at their other ends.
MATCH (n) WHERE elementId(n) = $node AND (NOT $own OR coalesce(n.collection, $collection) = $collection)
MATCH (n)-[r]-(m)
WHERE NOT type(r) IN $hidden_types AND ($relation IS NULL OR type(r) = $relation)
  AND ($target IS NULL OR elementId(m) = $target)
  AND none(label IN labels(m) WHERE label IN $hidden_labels)
  AND (NOT $own OR coalesce(m.collection, $collection) = $collection)
RETURN elementId(r) AS relationship, type(r) AS relation, startNode(r) = n AS outgoing, properties(r) AS told,
  {id: elementId(m), labels: labels(m), name: m.name, title: m.title, aliases: m.aliases, key: m.id,
   description: coalesce(m.description, m.summary, m.tagline), chapter: m.chapter, order: m.order, date: m.date} AS other
LIMIT $scanned
