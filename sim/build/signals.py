"""The SignalTable of a cell, and where each object's block of columns begins in a row."""

from collections.abc import Iterable, Mapping

from twincell.sim.build.bodies import ints
from twincell.sim.build.network import commanded
from twincell.sim.build.robots import axes_of
from twincell.sim.build.signal_limits import SignalLimits
from twincell.sim.contact.signals import SURFACE_SIGNALS, WATCHED_SIGNALS
from twincell.sim.devices import modules
from twincell.sim.devices.contract import DeviceSignal
from twincell.sim.mechanics.joints import joint_type
from twincell.sim.model import Columns
from twincell.sim.motion.robot_orders import REFUSALS
from twincell.sim.sense import (
    BODY_SIGNALS,
    CLOSED_COMMAND,
    COLLISION_SIGNALS,
    CONSTRAINED_SIGNALS,
    robot_commands,
    robot_signals,
)
from twincell.sim.signals import Declared, Direction, Kind, Signal, SignalTable
from twincell.sim.spec.cell import CellSpec
from twincell.sim.spec.joint import MovingJoint


def named_ports(spec: CellSpec) -> list[str]:
    """Names whose pose is asked for: objects sit on them, or signals show them."""
    carriers = [o.on for o in spec.collision_object.values()]
    carriers += [o.on for o in spec.constrained_object.values()]
    carriers += [o.on for o in spec.surface.values()]
    return list(dict.fromkeys((*spec.mover, *spec.body, *spec.robot, *carriers)))


def build_signals(
    spec: CellSpec,
    joints: Mapping[str, MovingJoint],
    joint_number: Mapping[str, int],
    port: Mapping[str, int],
) -> tuple[SignalTable, Columns]:
    """Commands first, then the fault levers, then the feedback of every object."""
    signals: list[Signal] = []
    limits = SignalLimits(spec)
    texts = {"Partner": ("", *spec.collision_object), "Refusal": REFUSALS}
    devices = modules("signals")

    def add(name: str, declared: Iterable[Declared], direction: Direction) -> int:
        first = len(signals)
        for quantity, kind, unit, description in declared:
            signals.append(
                Signal(
                    f"{name}.{quantity}",
                    len(signals),
                    kind,
                    unit,
                    direction,
                    description,
                    texts.get(quantity, ()),
                    limits.of(f"{name}.{quantity}") if kind is Kind.DOUBLE else None,
                )
            )
        return first

    def add_devices(what: str, direction: Direction) -> None:
        for device, module in devices.items():
            for name in getattr(spec, device):
                for one in getattr(module.SIGNALS, what):
                    signals.append(_of_device(spec, limits, name, one, len(signals), direction))

    def block(name: str, declared: Iterable[Declared]) -> int:
        return add(name, declared, Direction.FEEDBACK)

    for name in commanded(spec):
        add(name, (CLOSED_COMMAND,), Direction.COMMAND)
    for name in spec.robot:
        add(name, robot_commands(spec.robot_models[name].axes), Direction.COMMAND)
    add_devices("commands", Direction.COMMAND)
    add_devices("levers", Direction.FAULT)

    body = [[port[name], block(name, BODY_SIGNALS)] for name in (*spec.mover, *spec.body)]
    driven = {axis.joint for axis in axes_of(spec)}
    joint = [
        [joint_number[name], block(name, joint_type(j.type).signals)]
        for name, j in joints.items()
        if name not in driven
    ]
    robot = [block(name, robot_signals(spec.robot_models[name].axes)) for name in spec.robot]
    collision_columns = [block(name, COLLISION_SIGNALS) for name in spec.collision_object]
    constrained = [block(name, CONSTRAINED_SIGNALS) for name in spec.constrained_object]
    add_devices("feedback", Direction.FEEDBACK)
    surface = [block(name, SURFACE_SIGNALS) for name in spec.surface]
    number = {name: k for k, name in enumerate(spec.surface)}
    watched = [
        [number[w.surfaces[0]], number[w.surfaces[1]], block(name, WATCHED_SIGNALS)]
        for name, w in spec.watched_contact.items()
    ]
    columns = Columns(
        ints(body, 2),
        ints(joint, 2),
        ints(robot),
        ints(collision_columns),
        ints(constrained),
        ints(surface),
        ints(watched, 3),
    )
    return SignalTable(signals), columns


def _of_device(
    spec: CellSpec,
    limits: SignalLimits,
    name: str,
    one: DeviceSignal,
    column: int,
    direction: Direction,
) -> Signal:
    """A signal as its device declares it."""
    texts = ("", *getattr(spec, one.names_of)) if one.names_of else one.texts
    full_name = f"{name}.{one.quantity}"
    return Signal(
        full_name,
        column,
        one.kind,
        one.unit,
        direction,
        one.description,
        texts,
        one.limits or (limits.of(full_name) if one.kind is Kind.DOUBLE else None),
        one.by_hand,
    )
