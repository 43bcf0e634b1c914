// Lists the migrations done, 0 being the lock's node.
MATCH (m:Migration) WHERE m.version > 0
RETURN m.version AS version ORDER BY version
