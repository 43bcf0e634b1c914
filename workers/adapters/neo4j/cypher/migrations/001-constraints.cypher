// Ids are unique (without this, concurrent MERGE doubles nodes); every page and count goes by collection.
CREATE CONSTRAINT document_id IF NOT EXISTS FOR (d:Document) REQUIRE d.id IS UNIQUE;
CREATE CONSTRAINT chunk_id IF NOT EXISTS FOR (c:Chunk) REQUIRE c.id IS UNIQUE;
CREATE CONSTRAINT fact_id IF NOT EXISTS FOR (f:AtomicFact) REQUIRE f.id IS UNIQUE;
CREATE CONSTRAINT element_id IF NOT EXISTS FOR (k:KeyElement) REQUIRE k.id IS UNIQUE;
CREATE INDEX document_collection IF NOT EXISTS FOR (d:Document) ON (d.collection, d.id);
CREATE INDEX chunk_collection IF NOT EXISTS FOR (c:Chunk) ON (c.collection, c.id);
CREATE INDEX fact_collection IF NOT EXISTS FOR (f:AtomicFact) ON (f.collection, f.id);
CREATE INDEX element_collection IF NOT EXISTS FOR (k:KeyElement) ON (k.collection, k.id)
