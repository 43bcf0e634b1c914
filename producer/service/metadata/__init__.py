"""Metadata of stored documents: edits, and the schemas of collections."""
