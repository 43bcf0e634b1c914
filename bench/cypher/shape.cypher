// Counts a collection's nodes and relationships by label, type and the properties that they have.
MATCH (n {collection: $collection})
WITH labels(n) AS kind, keys(n) AS names, count(*) AS number
UNWIND names AS name
WITH kind, name, number ORDER BY name
RETURN kind[0] AS kind, collect(DISTINCT name) AS names, max(number) AS number
UNION ALL
MATCH (n {collection: $collection})-[r]->()
WITH type(r) AS kind, keys(r) AS names
WITH kind, CASE names WHEN [] THEN [''] ELSE names END AS names
UNWIND names AS name
WITH kind, name, count(*) AS number ORDER BY name
RETURN kind, collect(name) AS names, max(number) AS number
