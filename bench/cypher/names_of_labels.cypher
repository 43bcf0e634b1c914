// Every label that a node has, with the properties of its nodes.
MATCH (n)
UNWIND labels(n) AS name
UNWIND CASE keys(n) WHEN [] THEN [null] ELSE keys(n) END AS property
RETURN name, collect(DISTINCT property) AS properties
