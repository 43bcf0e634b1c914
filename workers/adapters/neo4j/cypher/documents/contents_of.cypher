// Contents of a document's chunks, hidden ones too.
MATCH (:Document {id: $id})-[:HAS_CHUNK|HAS_HIDDEN_CHUNK]->(c)
RETURN DISTINCT c.content_hash AS content
