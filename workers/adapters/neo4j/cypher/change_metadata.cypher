// Sets and takes away fields of some documents' metadata.
UNWIND $ids AS id
MATCH (d:Document {id: id})
REMOVE d.write_lock
// One that is being deleted is left alone.
WITH d WHERE d.status <> 'deleting'
SET d += $metadata
RETURN count(d) AS changed
