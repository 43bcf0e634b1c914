// Returns a document.
MATCH (d:Document {id: $id})
RETURN d {.*} AS document
