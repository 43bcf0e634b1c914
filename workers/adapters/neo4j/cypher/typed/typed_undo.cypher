// Returns what the live chunks of the facts that an undoing takes back state of all that share the target; locks
// these facts, by id.
MATCH (m:ElementMerge {id: $id})
MATCH (source:KeyElement {id: m.source})-[:MERGED_INTO {merge: m.id}]->(target)
WITH source, target, COLLECT {
  MATCH (k)-[link:MERGED_INTO]->(target)
  RETURN {id: k.id, into: link.into}
} AS members
WITH target, [target.id] + [one IN members | one.id] AS members,
  // As undo_merge: those whose way to the target leads over the source.
  reduce(going = [source.id], step IN members | going +
    [one IN members WHERE one.into IN going AND NOT one.id IN going | one.id]) AS going
CALL (target, going) {
  MATCH (target)<-[held:HAS_KEY_ELEMENT]-(f)
  WHERE any(one IN held.via WHERE one IN going)
  WITH f ORDER BY f.id
  REMOVE f.write_lock
  RETURN collect(f) AS facts
}
CALL (facts, members) {
  UNWIND facts AS f
  MATCH (f)<-[:HAS_ATOMIC_FACT]-(c)<-[:HAS_CHUNK]-()
  WHERE c.stated IS NOT NULL
  WITH DISTINCT c, members
  WITH c, [line IN c.stated WHERE any(part IN split(line, '\t') WHERE part IN members)] AS lines
  RETURN collect({chunk: c.id, before: null, stated: lines}) AS chunks
}
RETURN target.id AS target, members, chunks
