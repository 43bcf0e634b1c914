"""Bounds of reading a schema on a machine that may be slow."""

from workers.adapters.neo4j.schema import SchemaBounds

PATIENT = SchemaBounds(seconds=120.0)
