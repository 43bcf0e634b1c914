// Counts nodes and relationships, from the store's counters.
MATCH (n) WITH count(n) AS nodes
CALL () { MATCH ()-[r]->() RETURN count(r) AS relationships }
RETURN nodes, relationships
