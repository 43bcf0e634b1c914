// Counts the live documents of a collection in each language, and those without one under ''.
MATCH (d:Document)
WHERE d.collection = $collection AND d.live > 0
UNWIND CASE WHEN size(coalesce(d.languages, [])) = 0 THEN [''] ELSE d.languages END AS language
RETURN language, count(*) AS documents
