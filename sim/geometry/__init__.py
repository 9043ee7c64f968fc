"""Shapes: how far they reach, and how far a point is from them."""
