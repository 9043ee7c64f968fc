"""twincell in Python: a cell to simulate, the mistakes of a cell file, a running cell to test with.

    from twincell import Cell

    cell = Cell.load("my_cell.toml")
    cell["Robot1Flange.Closed"] = True
    rows = cell.run(ticks=1000)
    print(cell["Tool1.Force.Z"], cell.fault)

docs/use/python.md has more. A name is imported when somebody asks for it: compiler and server stay
unloaded in a program that needs neither.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from twincell.server.files.cells import find_cell
    from twincell.server.kit.cell_under_test import CellUnderTest
    from twincell.sim.cell import Cell, Fault
    from twincell.sim.plan import Refused
    from twincell.sim.robot import RobotControl
    from twincell.sim.signals import Signal, SignalTable
    from twincell.sim.spec import CellSpec, Problem, SpecError, load_cell, load_text

__all__ = [
    "Cell",
    "CellSpec",
    "CellUnderTest",
    "Fault",
    "Problem",
    "Refused",
    "RobotControl",
    "Signal",
    "SignalTable",
    "SpecError",
    "find_cell",
    "load_cell",
    "load_text",
]
__version__ = "0.1.0"

_MODULES = {
    "twincell.server.files.cells": ("find_cell",),
    "twincell.server.kit.cell_under_test": ("CellUnderTest",),
    "twincell.sim.cell": ("Cell", "Fault"),
    "twincell.sim.plan": ("Refused",),
    "twincell.sim.robot": ("RobotControl",),
    "twincell.sim.signals": ("Signal", "SignalTable"),
    "twincell.sim.spec": ("CellSpec", "Problem", "SpecError", "load_cell", "load_text"),
}


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
