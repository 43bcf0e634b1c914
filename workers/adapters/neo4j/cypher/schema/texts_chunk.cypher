// Returns a page of a collection's chunks by id, with the text that is embedded and whether readers see it.
MATCH (n:Chunk)
WHERE n.collection = $collection AND n.id > $after
WITH n ORDER BY n.collection, n.id LIMIT $limit
RETURN n.id AS id,
  CASE WHEN n.text STARTS WITH coalesce(n.title, '') THEN n.text ELSE n.title + '\n' + n.text END AS text,
  EXISTS { (n)<-[:HAS_CHUNK]-() } AS live
ORDER BY id
