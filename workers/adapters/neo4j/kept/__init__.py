"""Versions of documents that were live once."""
