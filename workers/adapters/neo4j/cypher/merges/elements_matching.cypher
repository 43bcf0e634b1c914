// Returns for each full-text query the live elements it finds; every query restricts itself to one scope.
UNWIND range(0, size($queries) - 1) AS nth
CALL (nth) {
  WITH $queries[nth] AS query WHERE query <> ''
  CALL db.index.fulltext.queryNodes('element_words', query, {limit: $limit}) YIELD node AS k, score
  WITH k, score
  WHERE EXISTS { (k)<-[:HAS_KEY_ELEMENT]-()<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() }
  WITH k, COUNT { (k)<-[:HAS_KEY_ELEMENT]-() } AS facts ORDER BY score DESC, k.id
  RETURN collect(k {.id, .name, .aliases, facts: facts}) AS elements
}
RETURN elements ORDER BY nth
