// Makes one record per migration; the constraint also makes the lock below a single node.
CREATE CONSTRAINT migration_version IF NOT EXISTS FOR (m:Migration) REQUIRE m.version IS UNIQUE
