// Text without spaces between words (Thai, Lao, Burmese, Khmer) is found by pairs of its signs, kept with the chunk.
CREATE FULLTEXT INDEX chunk_pairs IF NOT EXISTS FOR (c:Chunk) ON EACH [c.pairs, c.scope]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}};
MATCH (c:Chunk)
WHERE c.pairs IS NULL AND c.text =~ '(?s).*[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff]{2}.*'
CALL (c) {
  WITH c, normalize(c.text, NFKC) AS text
  WITH c, [at IN range(0, size(text) - 2) | substring(text, at, 2)] AS pairs
  WITH c, [pair IN pairs WHERE pair =~ '[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff]{2}'] AS pairs
  SET c.pairs = reduce(line = '', pair IN pairs | line + ' ' + pair)
} IN TRANSACTIONS OF 1000 ROWS
