// Returns movies in the order of their ids, each with the people who made, played in and reviewed it.
UNWIND range(0, size($title) - 1) AS place
MATCH (m:Movie)
WHERE elementId(m) = $title[place] AND (NOT $own OR coalesce(m.collection, $collection) = $collection)
CALL (m) {
  MATCH (m)<-[r:ACTED_IN|DIRECTED|WROTE|PRODUCED|REVIEWED]-(p)
  WHERE (NOT $own OR coalesce(p.collection, $collection) = $collection)
  WITH p, r, COUNT { (p)-[:ACTED_IN]->() } AS films ORDER BY films DESC, p.name LIMIT 500
  RETURN collect({type: type(r), name: p.name, roles: r.roles, rating: r.rating, node: elementId(p), id: elementId(r)})
    AS people
}
WITH place, m, people ORDER BY place
RETURN m.title AS title, m.released AS released, m.tagline AS tagline,
  [one IN people WHERE one.type = 'ACTED_IN' |
    one.name + CASE WHEN size(one.roles) > 0
      THEN ' as ' + reduce(told = head(one.roles), role IN tail(one.roles) | told + ' and ' + role) ELSE '' END] AS actors,
  [one IN people WHERE one.type = 'DIRECTED' | one.name] AS directors,
  [one IN people WHERE one.type = 'WROTE' | one.name] AS writers,
  [one IN people WHERE one.type = 'PRODUCED' | one.name] AS producers,
  [one IN people WHERE one.type = 'REVIEWED' | one.name + coalesce(': ' + toString(one.rating), '')] AS reviewers,
  [elementId(m)] + [one IN people | one.node] AS _nodes, [one IN people | one.id] AS _relationships
