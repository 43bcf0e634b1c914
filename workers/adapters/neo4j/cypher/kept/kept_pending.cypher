// Returns the version of a document that is to be kept when another text is live.
MATCH (v:KeptVersion {id: $id})
WHERE v.state = 'pending'
RETURN v {.key, .collection, .title} AS version
