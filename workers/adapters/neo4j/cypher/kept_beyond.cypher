// Returns kept versions that are to be removed: those of a document beyond the latest so many, those that ended before a
// time, those that were removed in part, and where none is kept those that are pending.
CALL () {
  MATCH (v:KeptVersion)
  WHERE (v.state = 'dropped' OR $most = 0 AND v.state = 'pending') AND ($id IS NULL OR v.id = $id)
  RETURN v
  UNION
  MATCH (v:KeptVersion)
  WHERE v.until < timestamp() - $milliseconds AND v.state = 'kept' AND ($id IS NULL OR v.id = $id)
  RETURN v
  UNION
  MATCH (kept:KeptVersion)
  WHERE kept.state = 'kept' AND ($id IS NULL OR kept.id = $id)
  WITH kept ORDER BY kept.until DESC
  WITH kept.id AS id, collect(kept)[$most..] AS beyond
  UNWIND beyond AS v
  RETURN v
}
RETURN v.key AS key, v.collection AS collection LIMIT $limit
