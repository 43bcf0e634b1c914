"""Metadata of documents: types of fields, changes, schemas and filters."""
