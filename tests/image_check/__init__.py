"""Builds the image without an engine and runs every service of docker-compose.yml from it."""
