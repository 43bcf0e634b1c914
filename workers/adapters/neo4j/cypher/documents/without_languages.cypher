// Returns some live documents whose languages were not stored, each with the texts of its first chunks. Where none were
// detected, no_languages says so.
MATCH (d:Document)
WHERE d.collection = $collection AND d.live > 0 AND d.languages IS NULL AND d.no_languages IS NULL
WITH d ORDER BY d.id LIMIT $limit
RETURN d.id AS id, d.live AS version, COLLECT {
  MATCH (d)-[:HAS_CHUNK]->(c)
  RETURN c.text ORDER BY c.index LIMIT $chunks
} AS texts
