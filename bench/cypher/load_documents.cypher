// Creates live documents with their chunks.
UNWIND $documents AS row
CREATE (d:Document)
SET d = row.document
WITH d, row
UNWIND row.chunks AS chunk
CREATE (d)-[:HAS_CHUNK]->(c:Chunk)
SET c = chunk
