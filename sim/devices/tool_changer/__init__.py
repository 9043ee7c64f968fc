"""A pneumatic tool changer, and the tools that it couples."""
