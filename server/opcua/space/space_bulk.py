"""The object Bulk: the whole cell in a few arrays, for clients that can follow only a few nodes."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from twincell.server.opcua.space.layout import DOUBLE, INT32, Layout, array, bits
from twincell.server.opcua.space.space_groups import Group, last_part
from twincell.server.opcua.space.variable import Variable
from twincell.sim.signals import Direction, Kind, Signal


class Block(NamedTuple):
    """An array of many signals."""

    variable: Variable
    names: tuple[str, ...]  # of its objects or signals, in order
    description: str


def find_blocks(owner: str, groups: Sequence[Group]) -> list[Block]:
    """All blocks, also those that hold nothing in this cell."""
    signals = [signal for group in groups for signal in group.signals]
    by_column = sorted(signals, key=lambda signal: signal.column)
    commands = [s for s in by_column if s.direction is Direction.COMMAND]
    feedback = [s for s in by_column if s.direction is Direction.FEEDBACK]
    switches = [s for s in commands if s.kind is Kind.BOOLEAN]
    numbers = [s for s in commands if s.kind is not Kind.BOOLEAN]
    flags = [s for s in feedback if s.kind is Kind.BOOLEAN]
    partners = [s for s in feedback if last_part(s.name) == "Partner"]
    return [
        _of_objects(
            f"{owner}.Poses",
            _side_by_side(groups, "Pose", "Quaternion"),
            "Of each object seven numbers: x, y, z [m], qw, qx, qy, qz",
        ),
        _of_objects(
            f"{owner}.Wrenches",
            _side_by_side(groups, "Force", "Torque"),
            "Of each object six numbers: force x, y, z [N], torque x, y, z [N.m]",
        ),
        _of_signals(f"{owner}.Flags", bits(len(flags)), flags, "All Boolean feedback, a bit each"),
        _of_signals(
            f"{owner}.Partners",
            array(INT32, len(partners)),
            partners,
            "Who holds it: number of the collision object from 1 in the order of the cell, or 0",
        ),
        _of_signals(
            f"{owner}.Commands",
            bits(len(switches)),
            switches,
            "All Boolean commands, a bit each, the first in the lowest",
            is_command=True,
        ),
        _of_signals(
            f"{owner}.CommandValues",
            array(DOUBLE, len(numbers)),
            numbers,
            "All commands that are numbers; whole numbers too are Doubles here",
            is_command=True,
        ),
    ]


def _side_by_side(groups: Iterable[Group], first: str, second: str) -> dict[str, tuple[int, ...]]:
    """By object: three columns of its first quantity, and all of its second.

    A robot's quantities begin with Tcp; an object without both has no place here.
    """
    feedback = {group.name: group for group in groups if not group.is_command}
    found = {}
    for name, group in feedback.items():
        other = feedback.get(name.removesuffix(first) + second)
        if name.endswith(first) and other and not group.is_single:
            found[name.partition(".")[0]] = group.columns[:3] + other.columns
    return found


def _of_objects(name: str, columns: dict[str, tuple[int, ...]], description: str) -> Block:
    flat = tuple(column for of_object in columns.values() for column in of_object)
    return Block(Variable(name, array(DOUBLE, len(flat)), flat), tuple(columns), description)


def _of_signals(
    name: str, layout: Layout, signals: list[Signal], description: str, is_command: bool = False
) -> Block:
    columns = tuple(signal.column for signal in signals)
    names = tuple(signal.name for signal in signals)
    return Block(Variable(name, layout, columns, (), is_command), names, description)
