// Returns the record of a merge.
MATCH (m:ElementMerge {id: $id})
RETURN m {.*} AS merge
