// Returns what `kept_beyond` does of one document, without a look at others.
CALL () {
  MATCH (v:KeptVersion {id: $id})
  WHERE v.state = 'dropped' OR $most = 0 AND v.state = 'pending'
    OR v.state = 'kept' AND v.until < timestamp() - $milliseconds
  RETURN v
  UNION
  MATCH (v:KeptVersion {id: $id})
  WHERE v.state = 'kept'
  RETURN v ORDER BY v.until DESC SKIP $most
}
RETURN v.key AS key, v.collection AS collection, v.title AS title LIMIT $limit
