"""Former versions of documents."""
