"""How a running cell is, for monitoring: a process of its own that only looks."""
