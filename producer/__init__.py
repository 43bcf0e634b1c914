"""The server: one service, and the ways in to it: commands, HTTP, assistants, messages."""
