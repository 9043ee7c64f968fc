"""The simulation: deterministic, compiled, without clock, socket or process."""
