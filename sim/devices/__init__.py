"""Devices in the tick: what stands between a controller and the constraint network."""

# a device's tables are parts of a cell file: whoever loads a device first, loads all of them
import twincell.sim.spec  # noqa: F401
