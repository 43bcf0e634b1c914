// Narrows who may see documents, in a transaction before the one that makes other texts of them live: who reads while that
// one is applied may meet its properties one by one, and would read the new text for those who may see the old one. A
// document of which nothing is live yet takes what is said of it; else those are left who are named both times.
UNWIND $documents AS row
MATCH (d:Document {id: row.id})
REMOVE d.write_lock
WITH d, d.meta_list_allow AS held, row.metadata.meta_list_allow AS said
WHERE d.live < row.version AND d.version = row.version AND d.content_hash = row.content_hash
  // Nobody has said otherwise by hand since.
  AND coalesce(d.allow_set_aside <> row.metadata.meta_list_allow, true)
  // What is no list is for nobody already.
  AND (d.live = 0 OR coalesce(d.meta_text_allow, d.meta_number_allow, d.meta_date_allow) IS NULL)
WITH d, held, toString(coalesce(d.live_since, 0)) AS since, CASE
    WHEN d.live = 0 THEN said
    WHEN '*' IN said THEN held
    WHEN held IS NULL OR '*' IN held THEN said
    ELSE [name IN held WHERE name IN said]
  END AS narrowed
WHERE coalesce(narrowed <> held, narrowed IS NOT NULL)
// The version that is live keeps for whom it was: since when it is live, and the names; everyone where there are none.
SET d.allow_before = CASE
    WHEN d.live > 0 AND head(d.allow_before) = since THEN d.allow_before
    WHEN d.live > 0 THEN [since] + coalesce(held, [])
  END,
  d.meta_list_allow = narrowed
