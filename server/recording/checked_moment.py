"""Checks what a recording says about the state of a cell, before compiled code works with it.

Kernels trust the state: a partner's number goes straight into an array. What they wrote themselves
fits; what a file says may be damaged or made up. So everything that selects something has to be
within what the cell has, in the type and shape that it has there.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from twincell.server.realtime.cell_runner import COMMANDS, NEWEST_ROW
from twincell.server.realtime.shared.ring import Floats
from twincell.sim.arrays import gather, leaves
from twincell.sim.cell import Cell
from twincell.sim.devices import modules
from twincell.sim.model import NONE, Model
from twincell.sim.motion.robot_orders import REFUSALS
from twincell.sim.motion.targets import BRAKE, MOVE
from twincell.sim.plan import Plan
from twincell.sim.signals import WHOLE, Kind, SignalTable
from twincell.sim.sizes import sizes_of
from twincell.sim.state import MOST_LAW, MOST_PIECES, MOST_WAITING, State

Arrays = Mapping[str, npt.NDArray[Any]]

LARGEST = 2**53  # of a count or the number of a tick; chosen: doubles still hold it exactly
# whole numbers of every cell that select nothing: they count, or are the number of a tick
COUNTS = (
    "caught",
    "robots.refusals",
    "robots.moves",
    "robots.began",
    "robots.counts",
    "robots.heard",
)


class BadMoment(ValueError):
    """A cell cannot be in this state, or do this move; the text says why."""


class CheckedMoment(NamedTuple):
    """A moment that a cell can go on from."""

    state: State
    commands: Floats
    row: Floats  # of the tick before
    is_finite: bool  # else the cell had stopped itself: nothing goes on from there


def checked_moment(cell: Cell, arrays: Arrays) -> CheckedMoment:
    """The moment that these arrays hold, if this cell can be there."""
    like = {
        **dict(leaves(cell.state)),
        COMMANDS: cell.commands.values,
        NEWEST_ROW: cell.row,
    }
    if _forms(arrays) != _forms(like):
        raise BadMoment("its states are those of another version of twincell")
    state = gather(State, arrays)
    for name, (least, most) in limits(cell).items():
        _check_within(name, arrays[name], least, most)
    _check_moves(state)
    _check_partners(cell.model, state)
    row = arrays[NEWEST_ROW]
    if has_odd_codes(cell.signals, row[None, :]):
        raise BadMoment(f"its {NEWEST_ROW} has a text or a number that there is not")
    is_finite = all(np.isfinite(part).all() for _, part in leaves(state) if part.dtype.kind == "f")
    return CheckedMoment(state, arrays[COMMANDS], row, is_finite)


def checked_move(cell: Cell, argument: float, arrays: Arrays) -> tuple[int, Plan]:
    """The robot and the plan of a move, if the robot can be given such a plan."""
    robots = cell.model.robots
    if argument not in range(len(robots.first)):
        raise BadMoment(f"there is no robot {argument:g}")
    robot = int(argument)
    if set(arrays) != set(Plan._fields):
        raise BadMoment("its plan is that of another version of twincell")
    plan = Plan(**arrays)
    n_axis = int(robots.end[robot] - robots.first[robot])
    n_piece, n_law = plan.knots.size - 1, len(plan.law) if plan.law.ndim else 0
    shapes = [part.shape for part in plan]
    if shapes != [(n_piece + 1,), (n_axis, n_piece, 4), (n_law, 5), (2,)]:
        raise BadMoment("its plan is for another robot")
    if not (1 <= n_piece <= MOST_PIECES and 1 <= n_law <= MOST_LAW):
        raise BadMoment(f"its plan has {n_piece} pieces and {n_law} segments")
    if not all(part.dtype == np.float64 and np.isfinite(part).all() for part in plan):
        raise BadMoment("its plan is not made of finite numbers")
    return robot, plan


def limits(cell: Cell) -> dict[str, tuple[int, int]]:
    """Least and greatest value of all whole numbers of a state.

    A number that is named neither with its limits nor as a count might select something: that is a
    mistake of ours, and no state is taken then.
    """
    sizes = sizes_of(cell.model)
    found = dict.fromkeys(COUNTS, (-LARGEST, LARGEST))
    found |= {
        "tick": (0, LARGEST),
        "partner": (NONE, len(cell.model.collision.port) - 1),
        "robots.mode": (0, BRAKE),
        "robots.refusal": (0, len(REFUSALS) - 1),
        "robots.n_piece": (0, MOST_PIECES),
        "robots.n_law": (0, MOST_LAW),
        "robots.n_waiting": (0, MOST_WAITING),
        "robots.lost": (0, 1),
    }
    for device, module in modules("state").items():
        own = dict.fromkeys(getattr(module, "COUNTS", ()), (-LARGEST, LARGEST))
        own |= module.limits(sizes) if hasattr(module, "limits") else {}
        found |= {f"devices.{device}.{name}": both for name, both in own.items()}
    whole = {name for name, array in leaves(cell.state) if array.dtype.kind == "i"}
    if odd := whole ^ found.keys():
        raise TypeError(f"{', '.join(sorted(odd))}: neither a count nor a number with limits")
    return found


def has_odd_codes(signals: SignalTable, rows: Floats) -> bool:
    """Whether a String is not the number of one of its texts, or a whole number is none."""
    for signal in signals:
        codes = rows[:, signal.column]
        if signal.kind is Kind.STRING:
            if not np.isin(codes, np.arange(len(signal.texts))).all():
                return True
        elif signal.kind in WHOLE and not np.isfinite(codes).all():
            return True
    return False


def _forms(arrays: Arrays) -> dict[str, tuple[tuple[int, ...], np.dtype[Any]]]:
    return {name: (array.shape, array.dtype) for name, array in arrays.items()}


def _check_within(name: str, values: npt.NDArray[Any], least: int, most: int) -> None:
    outside = values[(values < least) | (values > most)]
    if outside.size:
        raise BadMoment(f"its {name} is {outside[0]}, which is not between {least} and {most}")


def _check_moves(state: State) -> None:
    moving = (state.robots.mode == MOVE) | (state.robots.mode == BRAKE)
    if (state.robots.n_piece[moving] == 0).any() or (state.robots.n_law[moving] == 0).any():
        raise BadMoment("a robot moves that has no path to move along")


def _check_partners(model: Model, state: State) -> None:
    held = state.partner != NONE
    tree = model.bodies.tree[model.ports.body]
    own = tree[model.constrained.port[held]]
    if (own == tree[model.collision.port[state.partner[held]]]).any():
        raise BadMoment("an object is held by the body that carries it")
