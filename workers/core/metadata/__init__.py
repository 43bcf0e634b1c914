"""Metadata of documents: field types, changes, schemas and filters."""
