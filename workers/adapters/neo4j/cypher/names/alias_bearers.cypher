// Returns the key elements whose names hold some words, those that lead to others too; none where the limit of the search is reached.
UNWIND $names AS row
CALL (row) {
  CALL db.index.fulltext.queryNodes('element_words', row.query, {limit: $limit}) YIELD node AS k
  RETURN collect(k) AS hits
}
CALL (hits) {
  UNWIND CASE WHEN size(hits) < $limit THEN hits ELSE [] END AS hit
  CALL (hit) {
    RETURN hit AS k
    UNION
    MATCH (k)-[:MERGED_INTO]->(hit)
    RETURN k
  }
  RETURN collect(DISTINCT k {.id, .name, claimed: k.claimed IS NOT NULL}) AS bearers
}
RETURN row.id AS id, size(hits) AS hits, bearers
