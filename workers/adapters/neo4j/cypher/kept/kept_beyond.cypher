// Returns kept versions that are to be removed: those of a document beyond the latest so many, those that ended before a
// time, those that were removed in part, and where none is kept those that are pending.
CALL () {
  MATCH (v:KeptVersion)
  WHERE v.state = 'dropped' OR $most = 0 AND v.state = 'pending'
  RETURN v
  UNION
  MATCH (v:KeptVersion)
  WHERE v.until < timestamp() - $milliseconds
  RETURN v
  UNION
  MATCH (kept:KeptVersion)
  WHERE kept.state = 'kept'
  WITH kept.id AS id, count(*) AS versions
  WHERE versions > $most
  CALL (id) {
    MATCH (v:KeptVersion {id: id})
    WHERE v.state = 'kept'
    RETURN v ORDER BY v.until DESC SKIP $most
  }
  RETURN v
}
RETURN v.key AS key, v.collection AS collection, v.title AS title LIMIT $limit
