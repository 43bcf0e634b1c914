// Counts a collection's live documents whose metadata fits a filter, all of them, by tag and by year: the most frequent
// ones. An expression over d stands for the filter.
MATCH (d:Document)
WHERE d.collection = $collection AND d.live > 0 AND $where
// As in `documents_in_scope`.
WITH d {.*} AS d WHERE d.live > 0
WITH collect([d[$tags], left(d[$date], 4)]) AS held
RETURN size(held) AS documents,
  COLLECT {
    UNWIND range(0, size(held) - 1) AS nth
    UNWIND held[nth][0] AS tag
    WITH tag, count(DISTINCT nth) AS documents ORDER BY documents DESC, tag LIMIT $limit
    RETURN [tag, documents]
  } AS tags,
  COLLECT {
    UNWIND held AS one
    WITH one[1] AS year, count(*) AS documents WHERE year IS NOT NULL
    WITH year, documents ORDER BY documents DESC, year DESC LIMIT $limit
    RETURN [year, documents]
  } AS years
