// A chunk is found by its document's title too: the title is kept with it, and both are one index.
MATCH (d:Document)-[:HAS_CHUNK|HAS_HIDDEN_CHUNK]->(c)
WHERE c.title IS NULL
CALL (d, c) { SET c.title = d.title } IN TRANSACTIONS OF 5000 ROWS;
CREATE FULLTEXT INDEX chunk_texts IF NOT EXISTS FOR (c:Chunk) ON EACH [c.title, c.text, c.scope]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-folding'}};
DROP INDEX chunk_words IF EXISTS
