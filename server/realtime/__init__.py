"""The real-time process: the cell's tick, a thousand times a second, and what it shares."""
