// Returns the documents of a collection that were live at a time and that a filter means: those that still are, with which
// contents are live, as `documents_in_scope` has it, and versions that are kept. An expression over d stands for the filter.
CALL () {
  MATCH (d:Document)
  WHERE d.collection = $collection AND d.live > 0 AND coalesce(d.live_since, 0) <= $at AND $where
  // As in `documents_in_scope`.
  WITH d, d {.*} AS document WHERE document.live > 0
  RETURN CASE WHEN EXISTS { (d)-[:HAS_HIDDEN_CHUNK]->() } THEN null
      ELSE toString(d.live) + ' ' + coalesce(d.live_hash, '') END AS contents, document
  UNION ALL
  MATCH (d:KeptVersion)
  WHERE d.collection = $collection AND d.state = 'kept' AND coalesce(d.live_since, 0) <= $at AND $at < d.until AND $where
  WITH d {.*} AS document WHERE document.state = 'kept'
  RETURN document.key AS contents, document
}
RETURN collect([contents, document]) AS documents
