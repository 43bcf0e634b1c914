// Names the original of a version that is being made, or has become live; a name with the same beginning is used again.
MATCH (d:Document {id: $id})
REMOVE d.write_lock
WITH d WHERE d.version = $version AND d.status <> 'deleting'
SET d.original_next = CASE
    WHEN d.original_file STARTS WITH $start THEN d.original_file
    WHEN d.original_next STARTS WITH $start THEN d.original_next
    ELSE $fresh
  END
RETURN d.original_next AS name
