"""Names by which documents say that key elements are also called, resolved in the graph."""
