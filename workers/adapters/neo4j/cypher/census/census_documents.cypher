// Counts a page of a collection's documents by state, with the chunks that readers see.
MATCH (d:Document)
WHERE d.collection = $collection AND d.id > $after
WITH d ORDER BY d.collection, d.id LIMIT $limit
RETURN CASE WHEN d.live > 0 THEN 'live' ELSE 'hidden' END AS state,
  count(*) AS nodes, sum(COUNT { (d)-[:HAS_CHUNK]->() }) AS chunks, max(d.id) AS last
