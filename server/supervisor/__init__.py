"""Starts the processes of a running cell, watches and ends them."""
