// Returns the originals that versions of some documents need: live, being made, or kept.
UNWIND $ids AS id
CALL (id) {
  MATCH (d:Document {id: id})
  UNWIND [d.original_file, d.original_next] AS name
  RETURN name
  UNION
  MATCH (v:KeptVersion {id: id})
  RETURN v.original_file AS name
}
WITH name WHERE name IS NOT NULL AND name <> ''
RETURN DISTINCT name
