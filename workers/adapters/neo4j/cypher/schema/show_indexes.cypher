// Returns the names of all indexes that no constraint keeps.
SHOW INDEXES YIELD name, owningConstraint
WHERE owningConstraint IS NULL
RETURN name
