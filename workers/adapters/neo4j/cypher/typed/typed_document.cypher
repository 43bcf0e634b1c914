// Returns what the live chunks of a document state.
MATCH (d:Document {id: $id})
REMOVE d.write_lock
WITH d
MATCH (d)-[:HAS_CHUNK]->(c)
WHERE c.stated IS NOT NULL
RETURN c.id AS chunk, c.stated AS before, null AS stated
