"""Find and load the cell that a command names: a shipped cell by its name, or a file."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import server
from server.cli.refusal import Refusal
from server.opcua.limits import Limits

if TYPE_CHECKING:
    from sim.cell import Cell
    from sim.spec import CellSpec

# eta * step_s: measured, RK4, a part of 2 kg lifted by 0.5 m in 1 s: the peak force is off by
# 0.04 % at 0.5, by 1.3 % at 1, and useless at 2
TRUE_FORCES = 0.5

SHIPPED = Path(server.__file__).parents[1] / "config" / "cells"

CellArgument = Annotated[
    str,
    typer.Argument(
        metavar="CELL",
        help="Name of a shipped cell (see 'twincell cells'), or a TOML file.",
        show_default=False,
    ),
]


def shipped_cells() -> list[Path]:
    """The cell files that come with twincell, by name."""
    return sorted(SHIPPED.glob("*.toml"))


def find_cell(wanted: str) -> Path:
    """The file of a cell: a bare name is a shipped cell, anything else a path."""
    if "/" not in wanted and not wanted.endswith(".toml"):
        return _find_shipped(wanted)
    path = Path(wanted)
    if path.is_dir():
        raise Refusal(f"{wanted}: is a folder, not a cell file")
    if not path.exists():
        raise Refusal(f"{wanted}: there is no such file")
    return path


def load(wanted: str) -> CellSpec:
    """Read and check a cell file."""
    path = find_cell(wanted)

    from sim.spec import SpecError, load_cell

    try:
        return load_cell(path)
    except SpecError as error:
        raise Refusal(str(error)) from error
    except OSError as error:
        raise Refusal(f"{wanted}: cannot be read: {error.strerror}") from error


def compile_cell(wanted: str) -> tuple[CellSpec, Cell]:
    """Read a cell file and make it ready to run."""
    spec = load(wanted)

    from sim.cell import Cell
    from sim.spec import SpecError

    limits_of(spec)
    try:
        cell = Cell(spec)
    except SpecError as error:
        raise Refusal(str(error)) from error
    _tell_coarse_steps(spec)
    return spec, cell


def limits_of(spec: CellSpec) -> Limits:
    """What the cell file allows clients to ask for."""
    try:
        return Limits.from_table(spec.server.limits)
    except ValueError as error:
        from sim.spec.problems import Problems, SpecError

        problems = Problems(spec.source)
        for line in str(error).split("\n"):
            key, _, problem = line.partition(": ")
            text, sign, hint = problem.rpartition("; ")
            hint = hint if sign else "docs/limits.md lists all limits"
            problems.add(f"server.limits.{key}", text or problem, hint)
        raise Refusal(str(SpecError(spec.source.file, problems))) from None


def _tell_coarse_steps(spec: CellSpec) -> None:
    """A stable eta can still be too large for true forces: say so, as it does not show."""
    for name, held in spec.constrained_object.items():
        if held.eta * spec.step_s > TRUE_FORCES:
            largest = TRUE_FORCES / spec.step_s
            print(
                f"note: constrained_object.{name}.eta: forces on a moving partner lose accuracy"
                f" above {largest:g} at this step",
                file=sys.stderr,
            )


def _find_shipped(name: str) -> Path:
    shipped = {path.stem: path for path in shipped_cells()}
    if name in shipped:
        return shipped[name]
    near = difflib.get_close_matches(name.lower(), shipped, n=3, cutoff=0.5)
    meant = f"did you mean {' or '.join(near)}? " if near else ""
    hint = f"{meant}'twincell cells' lists them; a file of your own is named with its .toml"
    raise Refusal(f"no shipped cell is called {name!r}", hint)
