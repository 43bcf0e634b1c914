// Counts the nodes of a label, from the store's counters.
MATCH (n:NAME) WITH count(n) AS count RETURN NTH AS nth, count
