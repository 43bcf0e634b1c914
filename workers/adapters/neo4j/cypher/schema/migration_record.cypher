// Records that a migration was done.
MERGE (m:Migration {version: $version})
  ON CREATE SET m.name = $name, m.done = datetime()
RETURN m.version AS version
