"""What documents say about themselves in fields: types, changes, schemas and filters."""
