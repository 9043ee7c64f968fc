"""What a user wrote about a cell: read, checked, every mistake named."""

from sim.spec.cell import CellSpec
from sim.spec.load import load_cell, load_text
from sim.spec.problems import Problem, Problems, Source, SpecError
from sim.spec.schema import cell_schema

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
