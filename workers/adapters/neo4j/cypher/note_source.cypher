// Remembers of which bytes a document's live version was made, and where they lie.
MATCH (d:Document {id: $id})
REMOVE d.write_lock
WITH d WHERE d.live = $version
SET d.source_hash = $source_hash, d.uri = $uri
