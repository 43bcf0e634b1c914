// Merges by id, in pages of a collection, and by either of the two elements that were merged or kept apart.
CREATE CONSTRAINT merge_id IF NOT EXISTS FOR (m:ElementMerge) REQUIRE m.id IS UNIQUE;
CREATE INDEX merge_collection IF NOT EXISTS FOR (m:ElementMerge) ON (m.collection, m.id);
CREATE INDEX merge_source IF NOT EXISTS FOR (m:ElementMerge) ON (m.source)
