// Finds live chunks by words of their text and title, once per query; each query restricts itself to one scope.
UNWIND range(0, size($queries) - 1) AS nth
CALL (nth) {
  CALL db.index.fulltext.queryNodes('chunk_texts', $queries[nth], {limit: $limit}) YIELD node AS c, score
  WHERE EXISTS { (c)<-[:HAS_CHUNK]-() }
  RETURN c.id AS id, score
}
RETURN nth, id, score ORDER BY nth, score DESC, id
