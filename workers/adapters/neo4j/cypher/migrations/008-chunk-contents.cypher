// Chunks by what they say: what is kept about a text goes when the last chunk that says it has gone.
CREATE INDEX chunk_content IF NOT EXISTS FOR (c:Chunk) ON (c.content_hash)
