// Returns a live document that a filter means. An expression over d stands for the filter.
MATCH (d:Document {id: $id})
WHERE d.live > 0 AND $where
// As in `documents_in_scope`.
WITH d {.*} AS document WHERE document.live > 0
RETURN document
