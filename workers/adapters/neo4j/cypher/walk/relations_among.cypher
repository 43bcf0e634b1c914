// Returns the typed relations that live chunks state between some key elements, with the facts that state them.
UNWIND $ids AS id
MATCH (a:KeyElement {id: id})
WHERE a.collection = $collection
MATCH (a)-[r]->(b:KeyElement)
WHERE b.id IN $ids AND r.fact_id IS NOT NULL
WITH a.id AS source, type(r) AS type, b.id AS target, r.fact_id AS fact ORDER BY fact
WITH source, type, target, collect(DISTINCT fact) AS facts
RETURN source, type, target, facts ORDER BY size(facts) DESC, source, type, target LIMIT $limit
