// Returns what tells this database from every other.
CALL db.info() YIELD id
RETURN id
