// Returns of a page of a collection's live facts the shortest, the longest, and the first few texts by id.
MATCH (f:AtomicFact)
WHERE f.collection = $collection AND f.id > $after
WITH f ORDER BY f.collection, f.id LIMIT $limit
WITH collect(f) AS page, max(f.id) AS last
WITH last, [f IN page WHERE EXISTS { (f)<-[:HAS_ATOMIC_FACT]-()<-[:HAS_CHUNK]-() }] AS live
WITH last, [f IN live[..$texts] | f.text] AS texts, live
UNWIND CASE WHEN live = [] THEN [null] ELSE live END AS f
WITH last, texts, f ORDER BY size(f.text), f.id
WITH last, texts, collect([size(f.text), f.id]) AS sized
RETURN last, texts, sized[..$examples] AS shortest, sized[-$examples..] AS longest
