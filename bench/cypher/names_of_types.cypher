// Every type that a relationship has, with the properties of its relationships.
MATCH ()-[r]->()
UNWIND CASE keys(r) WHEN [] THEN [null] ELSE keys(r) END AS property
RETURN type(r) AS name, collect(DISTINCT property) AS properties
