// Finds atomic facts by words; the query restricts itself to one scope.
CALL db.index.fulltext.queryNodes('fact_words', $query, {limit: $limit}) YIELD node AS f, score
RETURN f.id AS id, f.text AS text, score,
  EXISTS { (f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() } AS live
ORDER BY score DESC, id
