// Returns those of two nodes that have no relation at all, hopline's own bookkeeping aside.
MATCH (n) WHERE elementId(n) IN [$one, $other] AND (NOT $own OR coalesce(n.collection, $collection) = $collection)
  AND NOT EXISTS { (n)-[r]-() WHERE NOT type(r) IN $hidden_types }
RETURN elementId(n) AS id
