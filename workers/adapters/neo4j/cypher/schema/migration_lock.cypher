// Holds the migrations' lock until the transaction ends: a SET takes the node's write lock.
MERGE (m:Migration {version: 0})
SET m.write_lock = true
RETURN m.version AS version
