// Returns the live documents of a collection that a filter means, each with which contents are live; null while
// something of an older version is left. An expression over d stands for the filter. In one row: many are costlier.
MATCH (d:Document)
WHERE d.collection = $collection AND d.live > 0 AND $where
// A filter finds none of the metadata of a document that is deleted meanwhile: read after that, it is live no more.
WITH d, d {.*} AS document WHERE document.live > 0
RETURN collect([
  CASE WHEN EXISTS { (d)-[:HAS_HIDDEN_CHUNK]->() } THEN null ELSE toString(d.live) + ' ' + coalesce(d.live_hash, '') END,
  document
]) AS documents
