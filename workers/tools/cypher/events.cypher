// Returns major events with those who experience them, of one participant and one type where so wished.
MATCH (e:MajorEvent)
// Read at once: a node that is deleted meanwhile has no properties, and would count as one of every collection.
WITH e, properties(e) AS told
WHERE told <> {} AND (NOT $own OR coalesce(told.collection, $collection) = $collection)
  AND ($event_types IS NULL OR toLower(toStringOrNull(coalesce(told.event_type, told.type))) IN $event_types)
  AND ($node IS NULL OR EXISTS { MATCH (who)-[:EXPERIENCES]->(e) WHERE elementId(who) = $node })
WITH e, told LIMIT $scanned
CALL (e) {
  MATCH (who)-[x:EXPERIENCES]->(e)
  WHERE keys(who) <> [] AND (NOT $own OR coalesce(who.collection, $collection) = $collection)
  WITH who, x ORDER BY who.name LIMIT 20
  RETURN collect({
    node: {id: elementId(who), labels: labels(who), name: who.name, title: who.title, aliases: who.aliases, key: who.id},
    relationship: elementId(x), role: x.role, outcome: x.outcome
  }) AS participants
}
RETURN elementId(e) AS event, told, participants
