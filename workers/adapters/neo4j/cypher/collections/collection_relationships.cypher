// Returns the relationships that documents of a collection made: types, what they join, and properties of some.
MATCH (a:KeyElement) WHERE a.collection = $collection AND size(labels(a)) > 1
MATCH (a)-[r]->(b)
WHERE b.collection = $collection AND NOT type(r) IN $internal_types
WITH type(r) AS kind, [label IN labels(a) WHERE NOT label IN $internal] AS sources,
  [label IN labels(b) WHERE NOT label IN $internal] AS targets, count(r) AS relationships, collect(r)[..$sample] AS some
WHERE sources <> [] AND targets <> []
UNWIND some AS r
UNWIND keys(r) + [null] AS name
RETURN kind, sources, targets, relationships, name, collect(DISTINCT valueType(r[name])) AS types
ORDER BY kind, name
