// Keeps with some live chunks what they state of names, unless another version brought it meanwhile.
UNWIND $chunks AS row
MATCH (d:Document)-[:HAS_CHUNK]->(c:Chunk {id: row.id})
WITH d, c, row ORDER BY d.id
REMOVE d.write_lock
WITH d, c, row WHERE c.names IS NULL AND EXISTS { (d)-[:HAS_CHUNK]->(c) }
SET c.names = row.names, d.named = true
