// Returns the documents of some ids.
UNWIND $ids AS id
MATCH (d:Document {id: id})
RETURN d {.*} AS document
