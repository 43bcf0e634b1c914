// Finds chunks by words of their text and title, once per query; each query restricts itself to one scope.
UNWIND range(0, size($queries) - 1) AS nth
CALL (nth) {
  CALL db.index.fulltext.queryNodes('chunk_texts', $queries[nth], {limit: $limit}) YIELD node AS c, score
  WITH c.id AS id, score, EXISTS { (c)<-[:HAS_CHUNK]-() } AS live ORDER BY score DESC, id
  RETURN collect([id, score, live]) AS hits
}
RETURN hits ORDER BY nth
