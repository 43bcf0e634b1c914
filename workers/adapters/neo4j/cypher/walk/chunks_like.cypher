// Finds chunks by words of their text and title, or by pairs of signs, once per query and its index; each query restricts
// itself to one scope.
UNWIND range(0, size($queries) - 1) AS nth
CALL (nth) {
  CALL db.index.fulltext.queryNodes($indexes[nth], $queries[nth], {limit: $limit}) YIELD node AS c, score
  WITH c.id AS id, score, EXISTS { (c)<-[:HAS_CHUNK]-() } AS live ORDER BY score DESC, id
  RETURN collect([id, score, live]) AS hits
}
RETURN hits ORDER BY nth
