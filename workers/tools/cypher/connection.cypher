// Returns a shortest path between two nodes that leads through no node of the excluded kinds.
MATCH (one)
WHERE elementId(one) = $one AND (NOT $own OR coalesce(one.collection, $collection) = $collection)
MATCH (other)
WHERE elementId(other) = $other AND (NOT $own OR coalesce(other.collection, $collection) = $collection)
MATCH path = SHORTEST 1 GROUP (one) (
  ()-[r WHERE NOT type(r) IN $hidden_types]-
  (step WHERE step = other OR (
    none(label IN labels(step) WHERE label IN $excluded OR label IN $hidden_labels)
    AND (NOT $own OR coalesce(step.collection, $collection) = $collection)
  ))
){1,6} (other)
WHERE length(path) <= $max_hops
// Of equally short ones always the same, also in a graph that was written anew: ids of the database come last.
WITH path LIMIT 200
ORDER BY [r IN relationships(path) | type(r)],
  [n IN nodes(path) | toStringOrNull(coalesce(n.name, n.title))],
  [r IN relationships(path) | toStringOrNull(coalesce(r.chapter, r.date))],
  [r IN relationships(path) | toStringOrNull(r.fact_id)],
  [n IN nodes(path) | elementId(n)], [r IN relationships(path) | elementId(r)]
LIMIT 1
RETURN
  [n IN nodes(path) | {id: elementId(n), labels: labels(n), name: n.name, title: n.title, aliases: n.aliases, key: n.id}]
    AS steps,
  [r IN relationships(path) | {id: elementId(r), type: type(r), start: elementId(startNode(r)), told: properties(r)}]
    AS hops
