// Stores the source's hash, the address, changed metadata and newly detected languages of some documents' live versions.
UNWIND $documents AS row
MATCH (d:Document {id: row.id})
REMOVE d.write_lock
WITH d, row WHERE d.live = row.version
SET d.allow_set_aside = CASE WHEN row.metadata.meta_list_allow IS NULL THEN d.allow_set_aside END,
  d.allow_before = CASE WHEN 'meta_list_allow' IN keys(row.metadata) THEN null ELSE d.allow_before END
SET d.updated = CASE WHEN row.metadata = {} THEN d.updated ELSE timestamp() END,
  d.original = coalesce(row.original, d.original), d.original_file = coalesce(row.original_file, d.original_file),
  d.original_next = CASE WHEN d.original_next = row.original_file THEN null ELSE d.original_next END,
  d.size = coalesce(row.size, d.size), d.media_type = coalesce(row.media_type, d.media_type),
  d.source_hash = row.source_hash, d.uri = row.uri,
  d.languages = CASE WHEN row.languages = [] THEN d.languages ELSE row.languages END, d += row.metadata
