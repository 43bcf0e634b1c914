// Finds key elements by words of their names and aliases; the query restricts itself to one scope.
CALL db.index.fulltext.queryNodes('element_words', $query, {limit: $limit}) YIELD node AS k, score
RETURN k.id AS id, k.name AS text, score,
  EXISTS { (k)<-[:HAS_KEY_ELEMENT]-()<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() } AS live
ORDER BY score DESC, id
