// Returns key elements that a live document holds, in the given order; a redirect stands for its target.
UNWIND range(0, size($ids) - 1) AS nth
MATCH (asked:KeyElement {id: $ids[nth]})
OPTIONAL MATCH (asked)-[:MERGED_INTO]->(target)
WITH coalesce(target, asked) AS k, min(nth) AS nth
WHERE k.collection = $collection
  AND EXISTS { (k)<-[:HAS_KEY_ELEMENT]-()<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() }
WITH k ORDER BY nth
RETURN collect(k {.id, .name, .aliases}) AS elements
