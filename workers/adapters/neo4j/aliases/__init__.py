"""Names by which documents also call key elements, resolved in the graph."""
