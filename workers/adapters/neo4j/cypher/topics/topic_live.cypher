// Counts a collection's live documents that state facts, and their facts; a fact of two documents counts twice.
MATCH (d:Document)
WHERE d.collection = $collection AND d.live > 0 AND d.facts > 0
RETURN count(d) AS documents, coalesce(sum(d.facts), 0) AS facts
