"""The SignalTable of a cell, and where each object's block of columns begins in a row."""

from collections.abc import Iterable, Mapping

from sim.build.bodies import MovingJoint, ints
from sim.model import Columns
from sim.sense import (
    BODY_SIGNALS,
    COLLISION_SIGNALS,
    CONSTRAINED_SIGNALS,
    PRISMATIC_SIGNALS,
    REVOLUTE_SIGNALS,
    Declared,
)
from sim.signals import Direction, Kind, Signal, SignalTable
from sim.spec.cell import CellSpec, RevoluteJoint


def build_signals(
    spec: CellSpec, joints: Mapping[str, MovingJoint], port: Mapping[str, int]
) -> tuple[SignalTable, Columns]:
    """Commands first, then the feedback of every object."""
    signals: list[Signal] = []
    partners = ("", *spec.collision_object)

    def add(name: str, declared: Iterable[Declared], direction: Direction) -> int:
        first = len(signals)
        for quantity, kind, unit, description in declared:
            texts = partners if kind is Kind.STRING else ()
            signals.append(
                Signal(
                    f"{name}.{quantity}", len(signals), kind, unit, direction, description, texts
                )
            )
        return first

    closed: Declared = ("Closed", Kind.BOOLEAN, "", "Catch what touches it, or let go")
    for name, collision in spec.collision_object.items():
        if collision.mode == "control":
            add(name, (closed,), Direction.COMMAND)

    def block(name: str, declared: Iterable[Declared]) -> int:
        return add(name, declared, Direction.FEEDBACK)

    body = [[port[name], block(name, BODY_SIGNALS)] for name in (*spec.mover, *spec.body)]
    joint = [
        block(name, REVOLUTE_SIGNALS if isinstance(j, RevoluteJoint) else PRISMATIC_SIGNALS)
        for name, j in joints.items()
    ]
    collision_columns = [block(name, COLLISION_SIGNALS) for name in spec.collision_object]
    constrained = [block(name, CONSTRAINED_SIGNALS) for name in spec.constrained_object]
    columns = Columns(ints(body, 2), ints(joint), ints(collision_columns), ints(constrained))
    return SignalTable(signals), columns
