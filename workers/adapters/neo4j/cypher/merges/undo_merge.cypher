// Undoes a merge: the element, and what had been merged into it, take their facts and spellings back.
MATCH (m:ElementMerge {id: $id})
WHERE m.collection = $collection
OPTIONAL MATCH (source:KeyElement {id: m.source})-[link:MERGED_INTO {merge: m.id}]->(target)
CALL (source, target) {
  WITH source, target WHERE source IS NOT NULL
  MATCH (member)-[link:MERGED_INTO]->(target)
  WITH source, member, link ORDER BY member.id
  WITH source, collect({id: member.id, into: link.into}) AS members
  // Those whose way to the target leads over the source go with it.
  WITH members, reduce(going = [source.id], step IN members | going +
    [one IN members WHERE one.into IN going AND NOT one.id IN going | one.id]) AS going
  RETURN members, going
  UNION
  WITH source WHERE source IS NULL
  RETURN [] AS members, [] AS going
}
CALL (target, going) {
  MATCH (target)<-[held:HAS_KEY_ELEMENT]-(f)
  WHERE any(one IN held.via WHERE one IN going)
  WITH f ORDER BY f.id
  REMOVE f.write_lock
  RETURN count(f) AS facts
}
CALL (target, members) {
  CALL (target, members) {
    WITH target WHERE target IS NOT NULL
    RETURN target AS k
    UNION
    UNWIND members AS member
    MATCH (k:KeyElement {id: member.id})
    RETURN k
  }
  WITH k ORDER BY k.id
  REMOVE k.write_lock
  RETURN count(k) AS locked
}
// Under the locks: where another merged or undid between the look and the locks, nothing comes back, and the caller asks
// again.
WITH m, source, target, members, going, COLLECT {
  MATCH (member)-[leads:MERGED_INTO]->(target)
  WITH member, leads ORDER BY member.id
  RETURN {id: member.id, into: leads.into}
} AS standing
WHERE standing = members
// One that relations and events are stated of takes more than this query.
WITH m, source, target, going
WHERE $typed OR NOT EXISTS {
  MATCH (target)<-[held:HAS_KEY_ELEMENT]-()<-[:HAS_ATOMIC_FACT]-(c)<-[:HAS_CHUNK]-()
  WHERE c.stated IS NOT NULL AND any(one IN held.via WHERE one IN going)
}
CALL (m, source, target, going) {
  MATCH (source)-[link:MERGED_INTO {merge: m.id}]->(target)
  DELETE link
  SET source.scope = target.scope
  WITH source, target, going
  CALL (source, target, going) {
    MATCH (target)<-[held:HAS_KEY_ELEMENT]-(f)
    WHERE any(one IN held.via WHERE one IN going)
    WITH source, target, f, held, [one IN held.via WHERE one IN going] AS back,
      [one IN held.via WHERE NOT one IN going] AS kept
    CREATE (f)-[again:HAS_KEY_ELEMENT]->(source)
    SET again.title = held.title, again.via = CASE WHEN back = [source.id] THEN null ELSE back END,
      held.via = CASE WHEN kept = [target.id] THEN null ELSE kept END
    FOREACH (one IN CASE WHEN kept = [] THEN [held] ELSE [] END | DELETE one)
  }
  CALL (source, target, going) {
    MATCH (member)-[old:MERGED_INTO]->(target)
    WHERE member.id IN going
    CREATE (member)-[new:MERGED_INTO]->(source)
    SET new = properties(old)
    DELETE old
  }
  UNWIND [source, target] AS k
  CALL (k) {
    OPTIONAL MATCH (member)-[:MERGED_INTO]->(k)
    WITH member ORDER BY member.id
    RETURN collect(member.aliases) AS lists
  }
  WITH k, lists, coalesce(k.own_aliases, k.aliases) AS own
  SET k.aliases = reduce(known = own, list IN lists | known + [alias IN list WHERE NOT alias IN known]),
    k.own_aliases = CASE WHEN lists = [] THEN null ELSE own END
  RETURN collect(k) AS parted
}
// What is to be withdrawn and no longer stands, a person may have undone: that stays.
FOREACH (record IN CASE WHEN $withdraw AND parted = [] THEN [] ELSE [m] END |
  SET record.undone = coalesce(record.undone, toString(datetime())))
// What no fact holds any more goes, with its redirects.
WITH m, source, $withdraw AND parted <> [] AS withdrawn, [k IN parted WHERE NOT EXISTS { (k)<-[:HAS_KEY_ELEMENT]-() }] AS lone
CALL (lone) {
  UNWIND lone AS k
  OPTIONAL MATCH (member)-[:MERGED_INTO]->(k)
  WITH k, collect(member) AS led
  UNWIND [k] + led AS gone
  RETURN collect(gone) AS gone, collect(gone.id) AS removed
}
CALL (removed) {
  MATCH (record:ElementMerge)
  WHERE record.source IN removed AND record.undone IS NULL
  DELETE record
}
FOREACH (k IN gone | DETACH DELETE k)
FOREACH (element IN CASE WHEN withdrawn THEN removed + [m.source] ELSE [] END |
  CREATE (:DueVector {id: randomUUID(), collection: $collection, element: element}))
WITH m, m {.*} AS merge, removed, withdrawn
OPTIONAL MATCH (back:KeyElement {id: m.source})
WHERE NOT EXISTS { (back)-[:MERGED_INTO]->() }
WITH m, merge, removed, withdrawn, [k IN collect(back) | k {.id, .name, .aliases}] AS restored
// A merge that was derived is taken back without a trace: it may be made again.
FOREACH (record IN CASE WHEN withdrawn THEN [m] ELSE [] END | DELETE record)
RETURN merge, removed, restored
