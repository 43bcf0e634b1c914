// Counts the live documents of a collection in each language.
MATCH (d:Document)
WHERE d.collection = $collection AND d.live > 0
UNWIND d.languages AS language
RETURN language, count(*) AS documents
