// Returns the ids of a collection's live documents that a filter means; an expression over d stands for it.
MATCH (d:Document)
WHERE d.collection = $collection AND d.live > 0 AND ($ids IS NULL OR d.id IN $ids) AND $where
RETURN d.id AS id
