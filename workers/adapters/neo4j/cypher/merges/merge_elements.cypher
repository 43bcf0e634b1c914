// Makes an element a redirect to another; locks facts, then elements, by id, and only then looks at them.
MATCH (source:KeyElement {id: $source}), (named:KeyElement {id: $target})
WHERE source.collection = $collection AND named.collection = $collection
OPTIONAL MATCH (named)-[:MERGED_INTO]->(other)
WITH source, named, coalesce(other, named) AS target
CALL (source) {
  MATCH (source)<-[:HAS_KEY_ELEMENT]-(f)
  WITH f ORDER BY f.id
  REMOVE f.write_lock
  RETURN count(f) AS facts
}
CALL (source, named, target) {
  CALL (source, named, target) {
    UNWIND [source, named, target] AS k
    RETURN k
    UNION
    MATCH (k)-[:MERGED_INTO]->(source)
    RETURN k
  }
  WITH DISTINCT k ORDER BY k.id
  REMOVE k.write_lock
  RETURN count(k) AS locked
}
CALL (source, target) {
  UNWIND [source, target] AS home
  MATCH (k)-[:MERGED_INTO]->(home)
  RETURN collect(k.id) AS members
}
// Who merged one of the two meanwhile, or kept two of them apart, is right: then there is nothing to do.
WITH source, named, target, members + [source.id, target.id] AS members
WHERE source <> target AND NOT EXISTS { (source)-[:MERGED_INTO]->() } AND NOT EXISTS { (target)-[:MERGED_INTO]->() }
  AND (named = target OR EXISTS { (named)-[:MERGED_INTO]->(target) })
  AND EXISTS { (source)<-[:HAS_KEY_ELEMENT]-() } AND EXISTS { (target)<-[:HAS_KEY_ELEMENT]-() }
  AND NOT EXISTS {
    MATCH (apart:ElementMerge)
    WHERE apart.source IN members AND apart.target IN members AND apart.undone IS NOT NULL
  }
  // One that relations and events are stated of takes more than this query.
  AND ($typed OR NOT EXISTS {
    MATCH (source)<-[:HAS_KEY_ELEMENT]-()<-[:HAS_ATOMIC_FACT]-(c)<-[:HAS_CHUNK]-()
    WHERE c.stated IS NOT NULL
  })
CALL (source, target) {
  MATCH (source)<-[held:HAS_KEY_ELEMENT]-(f)
  WITH source, target, f, held, held.title AS title, coalesce(held.via, [source.id]) AS came
  DELETE held
  MERGE (f)-[kept:HAS_KEY_ELEMENT]->(target)
    ON CREATE SET kept.via = came, kept.title = title
    // Named plainly by one of the two is named plainly.
    ON MATCH SET kept.title = CASE WHEN title IS NULL THEN null ELSE kept.title END, kept.via =
      coalesce(kept.via, [target.id]) + [one IN came WHERE NOT one IN coalesce(kept.via, [target.id])]
  RETURN count(f) AS moved
}
CALL (source, target) {
  MATCH (member)-[old:MERGED_INTO]->(source)
  CREATE (member)-[new:MERGED_INTO]->(target)
  SET new = properties(old)
  DELETE old
}
CREATE (source)-[:MERGED_INTO {merge: $id, into: $target}]->(target)
// An element keeps the spellings seen of itself; what readers search are those of all that lead to it.
SET source.aliases = coalesce(source.own_aliases, source.aliases), source.own_aliases = null, source.scope = null,
  target.own_aliases = coalesce(target.own_aliases, target.aliases)
WITH source, target, moved
CALL (target) {
  MATCH (member)-[:MERGED_INTO]->(target)
  WITH member ORDER BY member.id
  RETURN collect(member.aliases) AS lists
}
SET target.aliases = reduce(known = target.own_aliases, list IN lists |
  known + [alias IN list WHERE NOT alias IN known])
MERGE (m:ElementMerge {id: $id})
SET m.collection = $collection, m.source = $source, m.source_name = $source_name, m.target = $target,
  m.target_name = $target_name, m.rule = $rule, m.evidence = $evidence, m.job = $job,
  m.made = toString(datetime()), m.facts = moved
// What documents state is not merged by a step of its own, which would look at the vector.
FOREACH (element IN CASE WHEN $job = '' THEN [$source] ELSE [] END |
  CREATE (:DueVector {id: randomUUID(), collection: $collection, element: element}))
RETURN moved
