"""Load the cell that a command names: a shipped cell by its name, or a file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from twincell.server.cli.interrupt import ending_at_once
from twincell.server.cli.warm_up import compile_kinematics
from twincell.server.errors import Refusal
from twincell.server.files.cells import find_cell
from twincell.server.opcua.limits import Limits

if TYPE_CHECKING:
    from twincell.sim.cell import Cell
    from twincell.sim.spec import CellSpec

# eta * step_s: measured, RK4, a part of 2 kg lifted by 0.5 m in 1 s: the peak force is off by
# 0.04 % at 0.5, by 1.3 % at 1, and useless at 2
TRUE_FORCES = 0.5

CellArgument = Annotated[
    str,
    typer.Argument(
        metavar="CELL",
        help="Name of a shipped cell (see 'twincell cells'), or a TOML file.",
        show_default=False,
    ),
]


def load(wanted: str) -> CellSpec:
    """Read and check a cell file."""
    path = find_cell(wanted)

    from twincell.sim.spec import SpecError, load_cell

    try:
        with ending_at_once():
            return load_cell(path)
    except SpecError as error:
        raise Refusal(str(error)) from error
    except OSError as error:
        raise Refusal(f"{wanted}: cannot be read: {error.strerror}") from error


def compile_cell(wanted: str) -> tuple[CellSpec, Cell]:
    """Read a cell file and make it ready to run."""
    spec = load(wanted)

    from twincell.sim.cell import Cell
    from twincell.sim.spec import SpecError

    limits_of(spec)
    if spec.robot:
        compile_kinematics()
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
        from twincell.sim.spec.problems import Problems, SpecError

        problems = Problems(spec.source)
        for line in str(error).split("\n"):
            key, _, problem = line.partition(": ")
            text, sign, hint = problem.rpartition("; ")
            hint = hint if sign else "docs/server/limits.md lists all limits"
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
