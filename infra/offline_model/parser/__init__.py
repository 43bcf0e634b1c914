"""A rule-based parser: it selects and copies, it does not reason. One file per kind of request."""
