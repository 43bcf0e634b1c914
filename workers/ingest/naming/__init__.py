"""Statements of a document about names: aliases, and short forms."""
