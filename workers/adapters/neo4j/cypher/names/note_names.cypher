// Keeps with some live chunks what they state of names, unless another version brought something else meanwhile.
UNWIND $chunks AS row
MATCH (d:Document)-[:HAS_CHUNK]->(c:Chunk {id: row.id})
WITH d, c, row ORDER BY d.id
REMOVE d.write_lock
WITH d, c, row WHERE coalesce(c.names, []) = row.before AND EXISTS { (d)-[:HAS_CHUNK]->(c) }
SET c.names = CASE row.names WHEN [] THEN null ELSE row.names END, d.named = true
