// Returns nodes of some labels whose names hold words asked for, whatever their case and accents; most first.
MATCH (n:LABELS)
// Labels come first, they are in the index: typed elements may be many, and are found otherwise.
WHERE NOT n:KeyElement
WITH n
WHERE (NOT $own OR coalesce(n.collection, $collection) = $collection)
WITH n LIMIT $looked_at
UNWIND [name IN [n.name, n.title, n.alias] | toStringOrNull(name)] +
  CASE WHEN valueType(n.aliases) STARTS WITH 'LIST' THEN [name IN n.aliases | toStringOrNull(name)] ELSE [] END AS said
WITH n, toLower(said) AS said WHERE said IS NOT NULL
// Most names are plain ASCII; to look for every mark in each would take most of the time.
WITH n, CASE WHEN said =~ '[ -~]*' THEN said ELSE normalize(
  reduce(text = normalize(said, NFKD), fold IN $folds | replace(text, fold[0], fold[1])), NFKC) END AS plain
WITH n, plain, size([word IN $words WHERE plain CONTAINS word]) AS held
WHERE held > 0 OR (plain <> '' AND $asked CONTAINS plain)
WITH n, max(held) AS held, min(size(plain)) AS length ORDER BY held DESC, length, elementId(n) LIMIT $limit
RETURN elementId(n) AS id, labels(n) AS labels, toFloat(held) / length AS score,
  n.name AS name, n.title AS title, n.aliases AS aliases, n.alias AS alias, n.id AS key
