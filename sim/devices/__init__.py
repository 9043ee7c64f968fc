"""Devices in the tick: what stands between a controller and the constraint network."""
