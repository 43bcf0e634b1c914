// Concepts, their relations and the versions of their maps by id; versions also by concept and number.
CREATE CONSTRAINT concept_id IF NOT EXISTS FOR (c:MappedConcept) REQUIRE c.id IS UNIQUE;
CREATE CONSTRAINT concept_relation_id IF NOT EXISTS FOR ()-[r:CONCEPT_RELATION]-() REQUIRE r.id IS UNIQUE;
CREATE CONSTRAINT concept_version_id IF NOT EXISTS FOR (v:ConceptVersion) REQUIRE v.id IS UNIQUE;
CREATE CONSTRAINT concept_version_number IF NOT EXISTS FOR (v:ConceptVersion) REQUIRE (v.concept, v.version) IS UNIQUE
