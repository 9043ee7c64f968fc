"""A tool stand: a place where a tool waits."""
