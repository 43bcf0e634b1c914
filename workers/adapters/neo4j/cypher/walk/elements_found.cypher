// Returns those of some key elements that live facts hold, with how many facts and chunks; redirects followed.
UNWIND $ids AS asked
MATCH (named:KeyElement {id: asked})
WHERE named.collection = $collection
OPTIONAL MATCH (named)-[:MERGED_INTO]->(target)
WITH asked, coalesce(target, named) AS k
CALL (k) {
  // Chunks are counted among some of its facts; a frequent element's are estimated from these. Hidden facts
  // must not cover the live ones: a document written anew brings many.
  MATCH (k)<-[:HAS_KEY_ELEMENT]-(f)
  WHERE EXISTS { (f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() }
  WITH f LIMIT $sampled
  CALL (f) {
    MATCH (f)<-[:HAS_ATOMIC_FACT]-(c)<-[:HAS_CHUNK]-()
    WITH c LIMIT $places
    RETURN collect(c) AS some
  }
  // So are those of a fact that many chunks say.
  WITH f, some, CASE WHEN size(some) < $places THEN size(some) ELSE COUNT { (f)<-[:HAS_ATOMIC_FACT]-() } END AS places
  UNWIND some AS c
  RETURN count(DISTINCT f) AS seen, count(DISTINCT c) * avg(toFloat(places) / size(some)) AS chunks
}
WITH asked, k, seen, chunks, COUNT { (k)<-[:HAS_KEY_ELEMENT]-() } AS degree
WHERE chunks > 0
RETURN collect({
  asked: asked, id: k.id, name: k.name, degree: degree,
  aliases: CASE WHEN $spellings THEN coalesce(k.aliases, []) ELSE [] END,
  chunks: toInteger(round(CASE WHEN seen < $sampled THEN chunks ELSE chunks * degree / seen END))
}) AS found
