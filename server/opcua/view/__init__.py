"""Browsing, paths and discovery."""
