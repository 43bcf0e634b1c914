// Returns candidates for each name: elements of its normal forms, and those with its words in their aliases.
UNWIND $names AS asked
CALL (asked) {
  UNWIND asked.ids AS id
  MATCH (k:KeyElement {id: id})
  RETURN k
  UNION
  WITH asked WHERE asked.query <> ''
  CALL db.index.fulltext.queryNodes('element_words', asked.query, {limit: $limit}) YIELD node AS k
  RETURN k
}
// A redirect's name is one of its target's.
OPTIONAL MATCH (k)-[:MERGED_INTO]->(target)
WITH asked, coalesce(target, k) AS k, collect(DISTINCT k.name) AS names
WHERE k.collection = $collection
  AND EXISTS { (k)<-[:HAS_KEY_ELEMENT]-()<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() }
RETURN asked.name AS name, collect(k {.id, .name, .aliases, names: names}) AS elements
