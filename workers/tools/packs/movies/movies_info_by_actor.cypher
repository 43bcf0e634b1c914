// Returns the movies that a person acted in, with the roles, newest first.
MATCH (p)-[r:ACTED_IN]->(m:Movie)
WHERE elementId(p) = $actor
  AND (NOT $own OR coalesce(p.collection, $collection) = $collection)
  AND (NOT $own OR coalesce(m.collection, $collection) = $collection)
WITH p, r, m ORDER BY m.released DESC, m.title LIMIT toInteger($limit)
RETURN m.title AS title, m.released AS released, r.roles AS roles, p.name AS actor, m.tagline AS tagline,
  [elementId(p), elementId(m)] AS _nodes, [elementId(r)] AS _relationships
