"""Reads of a collection within a scope, using only the contents of the scope's documents."""
