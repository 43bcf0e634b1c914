// Returns which text of a document is live, and since when, where it is not written as a version to be kept already.
MATCH (d:Document {id: $id})
WHERE d.live > 0 AND NOT EXISTS {
  MATCH (v:KeptVersion {id: $id}) WHERE v.state = 'pending' AND v.live_hash = coalesce(d.live_hash, '')
}
RETURN d.live AS live, coalesce(d.live_hash, '') AS live_hash, coalesce(d.live_since, 0) AS since
