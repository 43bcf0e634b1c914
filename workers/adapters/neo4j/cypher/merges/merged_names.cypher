// Returns for some chunks the names of those key elements of their facts to which others lead, with all spellings.
UNWIND $ids AS id
MATCH (c:Chunk {id: id})
WHERE c.collection = $collection
MATCH (c)-[:HAS_ATOMIC_FACT]->()-[:HAS_KEY_ELEMENT]->(k)
WHERE k.own_aliases IS NOT NULL
WITH DISTINCT id, k
RETURN id, [k.name] + COLLECT { MATCH (member)-[:MERGED_INTO]->(k) RETURN member.name } + k.aliases AS names
ORDER BY id, k.id
