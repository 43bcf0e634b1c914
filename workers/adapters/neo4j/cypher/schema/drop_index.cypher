// Drops one index.
DROP INDEX $name IF EXISTS
