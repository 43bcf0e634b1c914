// Yields every relationship of the graph, for a backup.
MATCH (a)-[r]->(b)
RETURN elementId(a) AS from, elementId(b) AS to, type(r) AS type, properties(r) AS properties
