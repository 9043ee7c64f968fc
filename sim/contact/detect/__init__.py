"""The broad phase: which surfaces touch within a tick, and when."""
