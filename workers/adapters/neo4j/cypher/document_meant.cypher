// Returns a live document that a filter means. An expression over d stands for the filter.
MATCH (d:Document {id: $id})
WHERE d.live > 0 AND $where
RETURN d {.*} AS document
