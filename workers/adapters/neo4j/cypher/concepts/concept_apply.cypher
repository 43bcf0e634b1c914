// Writes a version of a locked map: its relations as they are now, and what changed with it.
MATCH (core:MappedConcept {id: $id})
WITH core, toString(datetime()) AS now
SET core.version = core.version + 1, core.updated = now, core += $core
CREATE (v:ConceptVersion {id: $version_id})
SET v.concept = core.id, v.collection = core.collection, v.version = core.version, v.job = $job, v.by = $by,
  v.made = now, v.changes = $changes
WITH core, now
CALL (core, now) {
  UNWIND $relations AS one
  MATCH (other:MappedConcept {id: one.target})
  MERGE (core)-[r:CONCEPT_RELATION {id: one.id}]->(other)
    ON CREATE SET r.created = now
  SET r += one.fields, r.updated = now
  RETURN count(r) AS written
}
RETURN core.version AS version, written
