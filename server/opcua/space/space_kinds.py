"""The kinds of objects in a cell: their folder, their type, what they have besides signals."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from asyncua.ua import VariantType

from twincell.server.opcua.space.space_members import Value
from twincell.server.opcua.space.space_methods import Method, robot_methods
from twincell.sim.contact.signals import SURFACE_SIGNALS, WATCHED_SIGNALS
from twincell.sim.devices import modules
from twincell.sim.devices.contract import DeviceSignals, type_name
from twincell.sim.mechanics.joints import JOINTS
from twincell.sim.sense import (
    BODY_SIGNALS,
    CLOSED_COMMAND,
    COLLISION_SIGNALS,
    CONSTRAINED_SIGNALS,
    robot_commands,
    robot_signals,
)
from twincell.sim.signals import Declared, Direction, Signal
from twincell.sim.spec.cell import CellSpec
from twincell.sim.spec.robot_model import ModelJoint
from twincell.sim.spec.table import given_shape

ANY_AXIS = (
    ModelJoint("k", JOINTS[0].type, "", ""),
)  # what a robot type says about each of its axes


@dataclass(frozen=True)
class ObjectKind:
    """One kind of object."""

    folder: str  # below Cell
    type: str
    sections: tuple[str, ...]  # of the cell file
    description: str
    commands: tuple[Declared, ...]
    feedback: tuple[Declared, ...]
    faults: tuple[Declared, ...] = ()  # levers that break something
    optional: tuple[str, ...] = ()  # quantities that not all of them have
    values: tuple[Value, ...] = ()  # what the cell file says
    constants: Callable[[CellSpec, str], tuple[str | float, ...]] = lambda spec, name: ()
    methods: Callable[[int], tuple[Method, ...]] = lambda n_axis: ()
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # what codes mean

    def names(self, spec: CellSpec) -> list[str]:
        """Objects of this kind, in the order of the cell file."""
        return [name for section in self.sections for name in getattr(spec, section)]

    def declared_signals(self) -> list[Signal]:
        """Its signals as a type declares them; columns mean nothing there."""
        declared = [(d, Direction.COMMAND) for d in self.commands]
        declared += [(d, Direction.FAULT) for d in self.faults]
        declared += [(d, Direction.FEEDBACK) for d in self.feedback]
        return [
            Signal(
                f"{self.type}.{quantity}",
                0,
                kind,
                unit,
                direction,
                description,
                self.texts.get(quantity, ()),
            )
            for (quantity, kind, unit, description), direction in declared
        ]


def _collision_constants(spec: CellSpec, name: str) -> tuple[str | float, ...]:
    collision = spec.collision_object[name]
    return collision.mode, given_shape(collision)[0]


def _constrained_constants(spec: CellSpec, name: str) -> tuple[str | float, ...]:
    held = spec.constrained_object[name]
    return held.eta, held.transition_s if held.transition else 0.0


def _surface_constants(spec: CellSpec, name: str) -> tuple[str | float, ...]:
    surface = spec.surface[name]
    return given_shape(surface)[0], surface.material


def _joint_signals() -> tuple[list[Declared], list[Declared]]:
    """What joints of all types have, its unit left open; and what only some have."""
    found: dict[str, list[Declared]] = {}
    for joint in JOINTS:
        for declared in joint.signals:
            found.setdefault(declared[0], []).append(declared)
    shared = [same[0] for same in found.values() if len(same) == len(JOINTS)]
    own = [same[0] for same in found.values() if len(same) < len(JOINTS)]
    return [(name, kind, "", f"Joint {name.lower()}") for name, kind, *_ in shared], own


SHARED_BY_JOINTS, OWN_OF_JOINTS = _joint_signals()


def _of_device(device: str) -> ObjectKind:
    """The kind of object that a device is, by what it declares."""
    table = modules("spec")[device].TABLES[device]
    signals: DeviceSignals = modules("signals")[device].SIGNALS
    every = (*signals.commands, *signals.levers, *signals.feedback)

    def constants(spec: CellSpec, name: str) -> tuple[str | float, ...]:
        return tuple(getattr(getattr(spec, device)[name], one.key) for one in signals.constants)

    return ObjectKind(
        f"{type_name(device)}s",
        f"{type_name(device)}Type",
        (device,),
        table.__doc__.rstrip("."),
        tuple(one.declared for one in signals.commands),
        tuple(one.declared for one in signals.feedback),
        tuple(one.declared for one in signals.levers),
        values=tuple(
            Value(one.name, VariantType.String, one.description) for one in signals.constants
        ),
        constants=constants,
        texts={one.quantity: one.texts for one in every if one.texts},
    )


KINDS = (
    ObjectKind(
        "CollisionObjects",
        "CollisionObjectType",
        ("collision_object",),
        "What a tool can be caught by: a flange, a holder, a jaw, a table",
        (CLOSED_COMMAND,),
        COLLISION_SIGNALS,
        optional=("Closed",),
        values=(
            Value("Mode", VariantType.String, "passive: catches always; control: while Closed"),
            Value("Shape", VariantType.String, "Shape that catches"),
        ),
        constants=_collision_constants,
    ),
    ObjectKind(
        "ConstrainedObjects",
        "ConstrainedObjectType",
        ("constrained_object",),
        "What can be caught: a tool, a part",
        (),
        CONSTRAINED_SIGNALS,
        values=(
            Value("Eta", VariantType.Double, "Rate at which its deviation decays", "1/s"),
            Value("TransitionTime", VariantType.Double, "How long its force grows", "s"),
        ),
        constants=_constrained_constants,
    ),
    *(_of_device(device) for device in modules("signals")),
    ObjectKind(
        "Robots",
        "RobotType",
        ("robot",),
        "A robot: moves by method, or by set points that a controller streams",
        robot_commands(ANY_AXIS),
        robot_signals(ANY_AXIS),
        methods=robot_methods,
    ),
    ObjectKind(
        "Bodies",
        "BodyType",
        ("mover", "body"),
        "A body, free or on a joint, or a frame whose motion is prescribed",
        (),
        BODY_SIGNALS,
    ),
    ObjectKind(
        "Joints",
        "JointType",
        ("joint",),
        "A joint without a drive: a hinge, a slide or a screw",
        (),
        (*SHARED_BY_JOINTS, *OWN_OF_JOINTS),
        optional=tuple(name for name, *_ in OWN_OF_JOINTS),
    ),
    ObjectKind(
        "Surfaces",
        "SurfaceType",
        ("surface",),
        "Where something can be touched",
        (),
        SURFACE_SIGNALS,
        values=(
            Value("Shape", VariantType.String, "Shape that touches"),
            Value("Material", VariantType.String, "What it is made of"),
        ),
        constants=_surface_constants,
    ),
    ObjectKind(
        "WatchedContacts",
        "WatchedContactType",
        ("watched_contact",),
        "Two surfaces whose contact is watched; forces are those on the first",
        (),
        WATCHED_SIGNALS,
    ),
)
