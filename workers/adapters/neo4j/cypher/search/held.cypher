// Returns those of some nodes that exist, hidden ones too and redirects not, with the text that is embedded.
UNWIND $chunks AS id
MATCH (n:Chunk {id: id}) WHERE n.collection = $collection
RETURN n.id AS id, 'chunk' AS kind,
  CASE WHEN n.text STARTS WITH coalesce(n.title, '') THEN n.text ELSE n.title + '\n' + n.text END AS text
UNION ALL
UNWIND $facts AS id
MATCH (n:AtomicFact {id: id}) WHERE n.collection = $collection
RETURN n.id AS id, 'fact' AS kind, n.text AS text
UNION ALL
UNWIND $elements AS id
MATCH (n:KeyElement {id: id}) WHERE n.collection = $collection AND NOT EXISTS { (n)-[:MERGED_INTO]->() }
RETURN n.id AS id, 'element' AS kind, n.name AS text
