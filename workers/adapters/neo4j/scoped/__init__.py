"""Reads of a collection within a scope: out of what the documents in it say, and of nothing else."""
