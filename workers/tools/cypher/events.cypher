// Returns major events with those who experience them, of one participant and one type where so wished.
MATCH (e:MajorEvent)
WHERE (NOT $own OR coalesce(e.collection, $collection) = $collection)
  AND ($event_types IS NULL OR toLower(toStringOrNull(coalesce(e.event_type, e.type))) IN $event_types)
  AND ($node IS NULL OR EXISTS { MATCH (who)-[:EXPERIENCES]->(e) WHERE elementId(who) = $node })
// A node that is deleted meanwhile has no properties, so it counted as one of every collection.
WITH e, e {.*} AS told WHERE told <> {}
WITH e, told LIMIT $scanned
CALL (e) {
  MATCH (who)-[x:EXPERIENCES]->(e)
  WHERE (NOT $own OR coalesce(who.collection, $collection) = $collection)
  WITH who, x, who {.*} AS node WHERE node <> {}
  WITH who, x, node ORDER BY node.name LIMIT 20
  RETURN collect({
    node: {id: elementId(who), labels: labels(who), name: node.name, title: node.title, aliases: node.aliases, key: node.id},
    relationship: elementId(x), role: x.role, outcome: x.outcome
  }) AS participants
}
RETURN elementId(e) AS event, told, participants
