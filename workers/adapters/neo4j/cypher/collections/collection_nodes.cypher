// Returns what documents of a collection made of its elements and of events: labels, with properties of some.
CALL () {
  MATCH (n:KeyElement) WHERE n.collection = $collection AND size(labels(n)) > 1
  RETURN n
  UNION ALL
  MATCH (n:MajorEvent) WHERE n.collection = $collection
  RETURN n
}
UNWIND [label IN labels(n) WHERE NOT label IN $internal] AS label
WITH label, count(n) AS nodes, collect(n)[..$sample] AS some
UNWIND some AS n
UNWIND keys(n) AS name
WITH label, nodes, name, n[name] AS value, valueType(n[name]) AS type
RETURN label, nodes, name, collect(DISTINCT type) AS types,
  collect(DISTINCT CASE WHEN type STARTS WITH 'STRING' AND size(value) <= $longest THEN value END) AS values
ORDER BY label, name
