// Yields every node of the graph but the notes of migrations, for a backup.
MATCH (n) WHERE NOT n:Migration
RETURN elementId(n) AS at, labels(n) AS labels, properties(n) AS properties
