// Returns a page of a collection's live elements by id, redirects left out, with how many facts hold each.
MATCH (k:KeyElement)
WHERE k.collection = $collection AND k.id > $after AND k.id < $before
WITH k ORDER BY k.collection, k.id LIMIT $limit
RETURN k.id AS id, k.name AS name, k.aliases AS aliases, COUNT { (k)<-[:HAS_KEY_ELEMENT]-() } AS facts,
  EXISTS { (k)<-[:HAS_KEY_ELEMENT]-()<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() } AS live
ORDER BY id
