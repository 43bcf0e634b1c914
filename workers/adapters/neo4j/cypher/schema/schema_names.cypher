// Returns every label, and per type the labels it may join, from the store's counters: too many, never too few.
CALL db.schema.visualization() YIELD nodes, relationships
// These nodes are made for the answer: they have ids and labels, but are not found by their ids.
RETURN [n IN nodes | [elementId(n), labels(n)]] AS labels,
  [r IN relationships | [type(r), elementId(startNode(r)), elementId(endNode(r))]] AS joins
