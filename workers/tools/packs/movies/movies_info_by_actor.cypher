// Returns the movies that a person acted in, newest first, each with the roles, who else acted, and who directed.
MATCH (p)-[r:ACTED_IN]->(m:Movie)
WHERE elementId(p) = $actor
  AND (NOT $own OR coalesce(p.collection, $collection) = $collection)
  AND (NOT $own OR coalesce(m.collection, $collection) = $collection)
WITH p, r, m ORDER BY m.released DESC, m.title LIMIT toInteger($limit)
CALL (p, m) {
  MATCH (m)<-[made:ACTED_IN|DIRECTED]-(other)
  WHERE (NOT $own OR coalesce(other.collection, $collection) = $collection)
    AND NOT (other = p AND type(made) = 'ACTED_IN')
  WITH other, made, COUNT { (other)-[:ACTED_IN]->() } AS films ORDER BY films DESC, other.name LIMIT 100
  RETURN collect({type: type(made), name: other.name, node: elementId(other), id: elementId(made)}) AS people
}
WITH p, r, m, people ORDER BY m.released DESC, m.title
RETURN m.title AS title, m.released AS released, r.roles AS roles, p.name AS actor,
  [one IN people WHERE one.type = 'ACTED_IN' | one.name] AS cast,
  [one IN people WHERE one.type = 'DIRECTED' | one.name] AS directors, m.tagline AS tagline,
  [elementId(p), elementId(m)] + [one IN people | one.node] AS _nodes,
  [elementId(r)] + [one IN people | one.id] AS _relationships
