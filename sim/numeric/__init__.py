"""Algorithms that know nothing of cells: linear systems, sets that are joined."""
