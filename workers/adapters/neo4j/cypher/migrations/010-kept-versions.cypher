// Versions of documents that were live once: by key, with their parts; those of a document and of a collection.
CREATE CONSTRAINT kept_version_key IF NOT EXISTS FOR (v:KeptVersion) REQUIRE v.key IS UNIQUE;
CREATE CONSTRAINT kept_since_collection IF NOT EXISTS FOR (s:KeptSince) REQUIRE s.collection IS UNIQUE;
CREATE CONSTRAINT kept_gap_id IF NOT EXISTS FOR (g:KeptGap) REQUIRE g.id IS UNIQUE;
CREATE INDEX kept_version_document IF NOT EXISTS FOR (v:KeptVersion) ON (v.id);
CREATE INDEX kept_version_collection IF NOT EXISTS FOR (v:KeptVersion) ON (v.collection);
CREATE INDEX kept_version_until IF NOT EXISTS FOR (v:KeptVersion) ON (v.until);
CREATE INDEX kept_gap_collection IF NOT EXISTS FOR (g:KeptGap) ON (g.collection)
