// Remembers of which bytes a document's live version was made.
MATCH (d:Document {id: $id})
REMOVE d.write_lock
WITH d WHERE d.live = $version
SET d.source_hash = $source_hash
