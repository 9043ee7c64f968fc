"""Rigid bodies and joints: where they are, what they weigh, how they accelerate."""
