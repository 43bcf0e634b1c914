// Adds up the live chunks and facts of a collection's documents.
MATCH (d:Document)
WHERE d.collection = $collection AND d.live > 0
RETURN coalesce(sum(d.chunks), 0) AS chunks, coalesce(sum(d.facts), 0) AS facts
