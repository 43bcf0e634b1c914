// Returns since when versions of a collection are kept, the time, and the documents of which what was live is not kept.
OPTIONAL MATCH (s:KeptSince {collection: $collection})
RETURN s.since AS since, timestamp() AS now, COLLECT {
  MATCH (g:KeptGap {collection: $collection})
  WHERE g.lost_from <= $at AND $at < g.lost_until
  OPTIONAL MATCH (d:Document {id: g.id})
  RETURN {id: g.id, until: g.lost_until, uri: coalesce(d.uri, g.id)} ORDER BY g.id
} AS gaps
