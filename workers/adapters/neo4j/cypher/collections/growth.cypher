// Counts a page of a collection's key elements that facts hold, with those that most facts hold.
MATCH (k:KeyElement)
WHERE k.collection = $collection AND k.id > $after
WITH k ORDER BY k.collection, k.id LIMIT $limit
// The store's own counter: what is being written counts as well.
WITH k, COUNT { (k)<-[:HAS_KEY_ELEMENT]-() } AS degree
ORDER BY degree DESC
RETURN sum(CASE WHEN degree > 0 THEN 1 ELSE 0 END) AS elements, max(k.id) AS last,
  collect({name: k.name, aliases: k.aliases, degree: degree})[..$hubs] AS hubs
