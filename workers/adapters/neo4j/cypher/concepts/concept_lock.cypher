// Makes concepts where there are none, and locks them, by id, so that two jobs of one map take turns.
UNWIND $concepts AS one
MERGE (c:MappedConcept {id: one.id})
  ON CREATE SET c.collection = $collection, c.name = one.name, c.version = 0, c.created = toString(datetime())
// Removing a property takes the node's write lock, also where there is none (see migration_lock).
REMOVE c.write_lock
