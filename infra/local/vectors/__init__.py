"""A small local vector endpoint: Qdrant's own engine under the REST paths that the qdrant-client calls.

For one machine without Docker. Production uses a Qdrant server, by URL, with the same client code.
"""
