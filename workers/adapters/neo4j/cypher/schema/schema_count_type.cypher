// Counts the relationships of a type, from the store's counters.
MATCH ()-[r:NAME]->() WITH count(r) AS count RETURN NTH AS nth, count
