"""What a user wrote about a cell: read, checked, every mistake named."""

from twincell.sim.spec.cell import CellSpec
from twincell.sim.spec.load import load_cell, load_text
from twincell.sim.spec.problems import Problem, Problems, Source, SpecError
from twincell.sim.spec.schema import cell_schema

__all__ = [
    "CellSpec",
    "Problem",
    "Problems",
    "Source",
    "SpecError",
    "cell_schema",
    "load_cell",
    "load_text",
]
