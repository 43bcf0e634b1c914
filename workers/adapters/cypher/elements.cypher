// Returns key elements that a live document holds, in the given order.
UNWIND range(0, size($ids) - 1) AS nth
MATCH (k:KeyElement {id: $ids[nth]})
WHERE k.collection = $collection
  AND EXISTS { (k)<-[:HAS_KEY_ELEMENT]-()<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() }
RETURN k {.id, .name, .aliases} AS element
ORDER BY nth
