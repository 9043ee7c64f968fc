"""Compilation: what the user wrote becomes the arrays that the tick reads."""

from twincell.sim.build.compile import Compiled, Timeline, compile_cell

__all__ = ["Compiled", "Timeline", "compile_cell"]
