// Notes since when versions of a collection's documents are kept.
MERGE (s:KeptSince {collection: $collection})
  ON CREATE SET s.since = timestamp()
