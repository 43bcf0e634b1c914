"""What a document says of names: who is also called how, and whose name is shortened."""
