// Returns major events with those who experience them, of one participant and one type where so wished.
MATCH (e:MajorEvent)
WHERE (NOT $own OR coalesce(e.collection, $collection) = $collection)
  AND ($event_types IS NULL OR toLower(toStringOrNull(coalesce(e.event_type, e.type))) IN $event_types)
  AND ($node IS NULL OR EXISTS { MATCH (who)-[:EXPERIENCES]->(e) WHERE elementId(who) = $node })
WITH e LIMIT $scanned
CALL (e) {
  MATCH (who)-[x:EXPERIENCES]->(e)
  WHERE (NOT $own OR coalesce(who.collection, $collection) = $collection)
  WITH who, x ORDER BY who.name LIMIT 20
  RETURN collect({
    node: {id: elementId(who), labels: labels(who), name: who.name, title: who.title, aliases: who.aliases, key: who.id},
    relationship: elementId(x), role: x.role, outcome: x.outcome
  }) AS participants
}
RETURN elementId(e) AS event, properties(e) AS told, participants
