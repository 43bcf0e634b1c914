// Returns a node by its element id, with the columns of a search by name.
MATCH (n) WHERE elementId(n) = $node
RETURN elementId(n) AS id, labels(n) AS labels, 0.0 AS score,
  n.name AS name, n.title AS title, n.aliases AS aliases, n.alias AS alias, n.id AS key
