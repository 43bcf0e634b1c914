// Documents of which a version that was overtaken left something. Few chunks are hidden at a time, so these are looked at
// rather than all documents.
MATCH (d)-[hidden:HAS_HIDDEN_CHUNK]->()
WHERE hidden.version < d.version AND d.status <> 'deleting'
RETURN DISTINCT d.id AS id, d.collection AS collection LIMIT $limit
