"""Numerical methods that several subjects use."""
