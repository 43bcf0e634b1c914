// Returns the nodes of a label with the most relationships, among the first $scanned nodes.
MATCH (n:LABELS)
WITH n LIMIT $scanned
WITH n, COUNT { (n)--() } AS degree ORDER BY degree DESC, elementId(n) LIMIT $limit
RETURN elementId(n) AS id, labels(n) AS labels, degree,
  n.name AS name, n.title AS title, n.aliases AS aliases, n.id AS key
