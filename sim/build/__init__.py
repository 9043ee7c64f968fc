"""Compilation: what the user wrote becomes the arrays that the tick reads."""

from sim.build.compile import Compiled, Timeline, compile_cell

__all__ = ["Compiled", "Timeline", "compile_cell"]
