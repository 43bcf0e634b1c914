"""Metadata of documents in Neo4j: as properties, and filters on them as Cypher."""
