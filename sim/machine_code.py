"""The machine code that a cell needs: the tick, and the subjects that the cell has."""

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numba.core import types

from twincell.sim.build import compile_cell
from twincell.sim.jit.codegen import Export
from twincell.sim.jit.line import ALL
from twincell.sim.jit.object_file import ObjectFile
from twincell.sim.jit.settings import APART, CHOSEN
from twincell.sim.model import Model
from twincell.sim.motion.inverse_kinematics import solve_forward, solve_inverse
from twincell.sim.pack import pack
from twincell.sim.scratch import new_scratch
from twincell.sim.spec import load_text
from twincell.sim.step import run
from twincell.sim.subjects import SUBJECTS, Subject

SOME_CELL = 'name = "Some cell"\n[mover.Nothing]'
Packs = dict[str, Any]  # the tuples that the tick gets, by the names of its arguments


def used_by(model: Model) -> list[Subject]:
    """The subjects that a cell has."""
    return [subject for subject in SUBJECTS if subject.is_used(model)]


def object_files(packs: Packs, subjects: Sequence[Subject]) -> Iterator[ObjectFile]:
    """The tick and these subjects, what takes long first."""
    if CHOSEN != APART:
        return
    for subject in subjects:
        yield ObjectFile(subject.name, [_export(name, packs) for name in subject.lines])
    yield run.object_file(*packs.values(), np.empty((0, 0)))  # type: ignore[attr-defined]


def kinematics() -> Iterator[ObjectFile]:
    """What plans moves of robots: it is needed already while a cell with robots is built."""
    if CHOSEN != APART:
        return
    model = compile_cell(load_text(SOME_CELL)).model  # machine code is alike for all cells
    given = pack(model), pack(new_scratch(model)), 0, np.empty(0), np.empty(0)
    yield solve_inverse.object_file(*given)  # type: ignore[attr-defined]
    yield solve_forward.object_file(*given, np.empty((0, 0)))  # type: ignore[attr-defined]


def load(model: Model, packs: Packs) -> None:
    """Load the machine code of a cell, and tell its model where the lines of the tick are."""
    model.addresses.flags.writeable = True
    for file in object_files(packs, used_by(model)):
        for export in file.exports:
            address = file.address(export.symbol)
            if export.symbol in ALL:
                model.addresses[ALL[export.symbol].number] = address
    model.addresses.flags.writeable = False


def _export(name: str, packs: Packs) -> Export:
    """A line of the tick; what is no pack among its arguments is a whole number."""
    line = ALL[name]
    arguments = tuple(
        packs[argument].numba_type if argument in packs else types.intp
        for argument in inspect.signature(line.function).parameters
    )
    return Export(name, line.kernel, arguments)
