// Full-text search; scope is one token per collection, so that a search is restricted inside the index.
CREATE FULLTEXT INDEX element_words IF NOT EXISTS FOR (k:KeyElement) ON EACH [k.name, k.aliases, k.scope]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-folding'}};
CREATE FULLTEXT INDEX fact_words IF NOT EXISTS FOR (f:AtomicFact) ON EACH [f.text, f.scope]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-folding'}};
CREATE FULLTEXT INDEX chunk_words IF NOT EXISTS FOR (c:Chunk) ON EACH [c.text, c.scope]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-folding'}}
