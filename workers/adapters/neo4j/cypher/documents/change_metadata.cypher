// Sets and takes away fields of some documents' metadata.
UNWIND $ids AS id
MATCH (d:Document {id: id})
REMOVE d.write_lock
// One that is being deleted is left alone.
WITH d WHERE d.status <> 'deleting'
  AND ($version IS NULL OR d.version = $version AND coalesce(d.updated, 0) = coalesce($updated, 0))
// What a version that is not live yet said before, and this change is later than.
SET d.allow_set_aside = CASE WHEN 'pending_allow' IN keys($metadata)
  THEN coalesce(d.pending_allow, d.allow_set_aside) ELSE d.allow_set_aside END,
  d.allow_before = CASE WHEN 'meta_list_allow' IN keys($metadata) THEN null ELSE d.allow_before END
SET d += $metadata, d.updated = timestamp()
RETURN count(d) AS changed
