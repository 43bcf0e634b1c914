// Records how far a version is; of a live one only what went wrong with it.
MATCH (d:Document {id: $id})
REMOVE d.write_lock
WITH d
WHERE d.version = $version AND d.status <> 'deleting' AND (d.live < $version OR $status IN ['partial', 'failed'])
SET d.status = $status, d.error = $error,
  d.whole = CASE WHEN d.live = $version AND $status = 'partial' THEN false ELSE d.whole END
