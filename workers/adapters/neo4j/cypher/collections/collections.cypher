// Counts the live documents of each collection.
MATCH (d:Document)
WHERE d.collection IS NOT NULL AND d.live > 0
RETURN d.collection AS collection, count(*) AS documents ORDER BY collection
