// Returns a page of a collection's documents in a chosen order: whose title or address holds all words, and whose
// metadata fits a filter; an expression over d stands for it.
MATCH (d:Document)
WHERE d.collection = $collection AND (NOT $live OR d.live > 0) AND $where
WITH d, CASE d.title WHEN '' THEN d.uri ELSE d.title END AS title
WHERE all(word IN $words WHERE normalize(toLower(title), NFC) CONTAINS word OR normalize(toLower(d.uri), NFC) CONTAINS word)
WITH d, CASE $order
    WHEN 'title' THEN left(toLower(title), $longest)
    WHEN 'uri' THEN left(d.uri, $longest)
    WHEN 'status' THEN d.status
    WHEN 'chunks' THEN -d.chunks
    WHEN 'facts' THEN -d.facts
    ELSE d.id
  END AS key
WHERE $id = '' OR key > $key OR (key = $key AND d.id > $id)
RETURN key, d {.*} AS document ORDER BY key, d.id LIMIT $limit
