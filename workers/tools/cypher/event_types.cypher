// Returns the types of major events, most frequent first.
MATCH (e:MajorEvent)
WHERE (NOT $own OR coalesce(e.collection, $collection) = $collection)
WITH toStringOrNull(coalesce(e.event_type, e.type)) AS type, count(*) AS events
WHERE type IS NOT NULL AND type <> ''
RETURN type, events ORDER BY events DESC, type LIMIT $limit
