// Returns of some key elements where each leads, what live chunks state of its name, and from what it is kept apart.
UNWIND $ids AS id
MATCH (k:KeyElement {id: id})
WHERE k.collection = $collection
OPTIONAL MATCH (k)-[link:MERGED_INTO]->(home)
OPTIONAL MATCH (m:ElementMerge {id: link.merge})
CALL (k) {
  MATCH (k)-[r:MAY_MEAN]->(n)
  OPTIONAL MATCH (c:Chunk {id: r.chunk})<-[:HAS_CHUNK]-(d)
  WHERE r.line IN c.names
  WITH n, r, c, d, split(r.line, '\t') AS parts
  RETURN collect({name: n.id, chunk: r.chunk, line: r.line, live: d IS NOT NULL, document: d.id, title: d.title, index: c.index,
    sentence: substring(c.text, toInteger(parts[4]), toInteger(parts[5]) - toInteger(parts[4]))}) AS claims
}
CALL (k) {
  MATCH (k)<-[:MAY_MEAN]-(a)
  RETURN collect(DISTINCT a.id) AS named_by
}
CALL (k) {
  MATCH (member)-[:MERGED_INTO]->(k)
  RETURN collect(member.id) AS members
}
CALL (k) {
  MATCH (apart:ElementMerge {source: k.id})
  WHERE apart.undone IS NOT NULL
  RETURN collect(apart.target) AS apart
}
RETURN k.id AS id, k.name AS name, home.id AS home, m.id AS merge, m.rule AS rule,
  m.evidence AS evidence, m.target AS target, coalesce(k.may_mean, []) AS may_mean, coalesce(k.placed, []) AS placed, claims, named_by, members, apart
