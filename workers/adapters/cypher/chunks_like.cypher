// Finds chunks by words; the query restricts itself to one scope.
CALL db.index.fulltext.queryNodes('chunk_words', $query, {limit: $limit}) YIELD node AS c, score
RETURN c.id AS id, c.text AS text, score,
  EXISTS { (c)<-[:HAS_CHUNK]-() } AS live
ORDER BY score DESC, id
