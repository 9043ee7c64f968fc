"""What a cell file may say: one class a table, the unit in every name, a sentence on every key.

The classes describe; they do not compute. Angles are in degrees and turn about x, y and z
(A, B, C), applied intrinsically as z-y'-x''; `sim/build` converts once.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

from pydantic import Field, PrivateAttr, create_model

from twincell.sim.devices import modules
from twincell.sim.spec.bridge import Bridge
from twincell.sim.spec.contact import (
    BoxSurface,
    CapsuleSurface,
    CylinderSurface,
    Material,
    Pairing,
    Surface,
    WatchedContact,
)
from twincell.sim.spec.controller import Controller
from twincell.sim.spec.joint import Joint
from twincell.sim.spec.problems import Source
from twincell.sim.spec.robot import MoveJoint, MoveLinear, MoveVia, Robot
from twincell.sim.spec.robot_model import RobotModel
from twincell.sim.spec.server import Server
from twincell.sim.spec.table import (
    HERE,
    Colour,
    Name,
    NotNegative,
    Number,
    PlaceName,
    Positive,
    Sizes,
    Symmetric,
    Table,
    Vector,
)

CommandValue = bool | int | float
SectionTable = TypeVar("SectionTable", bound=Table)

WORLD = "World"  # name of the world itself


# ---------------------------------------------------------------- what things are mounted on


class Frame(Table):
    """A fixed place: in the world, or on a body, a mover, a robot or another frame."""

    on: PlaceName | None = None
    """Body, mover, frame, robot or link that carries it; left out: the world."""
    position_m: Vector = HERE
    """Where it is, seen from what carries it."""
    orientation_deg: Vector = HERE
    """How it is turned, seen from what carries it."""


class Body(Table):
    """A rigid body: free to move, or the child of a joint."""

    mass_kg: Positive
    inertia_kg_m2: Vector | Symmetric
    """About the centre of mass: xx, yy, zz, and if needed xy, xz, yz."""
    center_of_mass_m: Vector = HERE
    """Seen from the body's own frame."""
    position_m: Vector = HERE
    """Where it starts; a joint's child starts where its joint puts it."""
    orientation_deg: Vector = HERE
    """How it is turned at the start."""
    velocity_m_s: Vector = HERE
    """Velocity of its frame at the start, in world axes."""
    angular_velocity_deg_s: Vector = HERE
    """Angular velocity at the start, in world axes."""


class Waypoint(Table):
    """A pose to be reached, at rest, at a time."""

    at_s: NotNegative
    """Simulated time at which the mover is there."""
    position_m: Vector
    """Where, in the world."""
    orientation_deg: Vector = HERE
    """How it is turned, in the world."""


class Sine(Table):
    """A swing about the mover's pose: along a direction, about it, or both."""

    direction: Vector
    """Along which it moves and about which it turns."""
    amplitude_m: NotNegative = 0.0
    """Largest displacement."""
    amplitude_deg: NotNegative = 0.0
    """Largest turn."""
    frequency_hz: Positive = 1.0
    """Swings a second."""
    phase_deg: Number = 0.0
    """Where in the swing it starts."""


class Mover(Table):
    """A frame whose motion is prescribed, such as a robot's tool centre point."""

    position_m: Vector = HERE
    """Where it stands, or the middle of its swing."""
    orientation_deg: Vector = HERE
    """How it is turned, or the middle of its swing."""
    waypoints: Annotated[list[Waypoint], Field(min_length=1)] | None = None
    """Poses in time, joined smoothly (fifth-order, at rest in each)."""
    sine: Sine | None = None
    """Swings instead of following waypoints."""


# ---------------------------------------------------------------- the constraint network


class Sphere(Table):
    """Catches what comes closer than the sum of the radii."""

    radius_m: Positive


class Rectangle(Table):
    """A flat face; its normal is its z axis."""

    length_m: Positive
    """Along x."""
    width_m: Positive
    """Along y."""


class Disc(Table):
    """A round flat face; its normal is its z axis."""

    radius_m: Positive


class CollisionObject(Table):
    """What a tool can be caught by: a flange, a holder, a jaw, a table."""

    on: PlaceName
    """Frame, body, mover, robot or link that carries it."""
    mode: Literal["passive", "control"] = "passive"
    """passive: catches always; control: while `Closed` is true, or as its device says."""
    closed: bool = False
    """Whether a control object starts closed; that of a tool changer: locked."""
    sphere: Sphere | None = None
    rectangle: Rectangle | None = None
    disc: Disc | None = None
    cylinder: CylinderSurface | None = None
    capsule: CapsuleSurface | None = None
    box: BoxSurface | None = None


class ConstrainedObject(Table):
    """What can be caught: a tool, a part. Always a sphere."""

    on: PlaceName
    """Body (or frame on a body, or robot with servo drives) that carries it."""
    radius_m: Positive
    """How near it must come to be caught."""
    eta: Positive
    """Rate at which a caught object's error decays [1/s]."""
    transition: bool = False
    """Let the constraint force grow smoothly after a catch."""
    transition_s: Positive = 0.1
    """How long that growth takes."""
    offset: bool = False
    """Keep the pose at which it was caught instead of pulling it to the partner's frame."""
    release_factor: Annotated[float, Field(ge=1, allow_inf_nan=False)] = 1.5
    """Lost when this many catch distances away, once the transition is over."""
    grip_stiffness_n_m: Positive = 1.0e6
    """How stiff the grip is where several grips share one load."""


# ---------------------------------------------------------------- what a person sees


class SphereShape(Table):
    """A ball to draw."""

    radius_m: Positive


class BoxShape(Table):
    """A box to draw."""

    size_m: Sizes


class CylinderShape(Table):
    """A cylinder to draw, along its z axis."""

    radius_m: Positive
    length_m: Positive


class Visual(Table):
    """A shape to draw; it has no effect on the motion."""

    on: PlaceName
    """Frame, body, mover, robot or link that carries it."""
    position_m: Vector = HERE
    """Where it is, seen from what carries it."""
    orientation_deg: Vector = HERE
    """How it is turned, seen from what carries it."""
    colour: Colour = "#9AA5B1"
    """As #RRGGBB."""
    sphere: SphereShape | None = None
    box: BoxShape | None = None
    cylinder: CylinderShape | None = None


# ---------------------------------------------------------------- the cell


class TimelineEntry(Table):
    """Commands and moves that take effect together at a time."""

    at_s: NotNegative
    """Simulated time of the tick that latches them."""
    set: dict[str, CommandValue] = Field(default={})
    """Command signals and fault levers, and their values."""
    move_joint: dict[Name, MoveJoint] = Field(default={})
    """Robots and where to move their joints."""
    move_linear: dict[Name, MoveLinear] = Field(default={})
    """Robots and where to move their tool centre points, straight."""
    move_via: dict[Name, MoveVia] = Field(default={})
    """Robots and the poses past which to move their tool centre points."""


class CellKeys(Table):
    """A robot cell without devices."""

    name: Annotated[str, Field(min_length=1)]
    """What to call the cell."""
    description: str = ""
    """What to look at."""
    gravity_m_s2: Vector = (0.0, 0.0, -9.81)
    """Acceleration of free fall, in world axes."""
    step_s: Annotated[float, Field(gt=0, le=0.1, allow_inf_nan=False)] = 0.001
    """Simulated time of one tick."""
    integrator: Literal["rk4", "semi_implicit"] = "rk4"
    """rk4: fourth order; semi_implicit: first order, a quarter of the work."""
    contact_tolerance: Annotated[float, Field(ge=1e-9, le=1e-4, allow_inf_nan=False)] = 1e-7
    """Share of the contact forces of a crowd that may be left over."""

    frame: dict[Name, Frame] = Field(default={})
    body: dict[Name, Body] = Field(default={})
    mover: dict[Name, Mover] = Field(default={})
    joint: dict[Name, Joint] = Field(default={})
    robot: dict[Name, Robot] = Field(default={})
    collision_object: dict[Name, CollisionObject] = Field(default={})
    constrained_object: dict[Name, ConstrainedObject] = Field(default={})
    surface: dict[Name, Surface] = Field(default={})
    material: dict[Name, Material] = Field(default={})
    pairing: dict[Name, Pairing] = Field(default={})
    watched_contact: dict[Name, WatchedContact] = Field(default={})
    visual: dict[Name, Visual] = Field(default={})


if TYPE_CHECKING:

    class CellWithDevices(CellKeys):
        """The same with a section for each table of a device."""
else:
    CellWithDevices = create_model(
        "CellWithDevices",
        __base__=CellKeys,
        **{
            section: (dict[Name, table], Field(default={}))
            for device in modules("spec").values()
            for section, table in device.TABLES.items()
        },
    )


class CellSpec(CellWithDevices):
    """A robot cell."""

    timeline: list[TimelineEntry] = Field(default=[])
    bridge: list[Bridge] = Field(default=[])
    controller: Controller = Field(default=Controller())
    """Who commands the cell, and what happens without it."""
    server: Server = Field(default=Server())
    """How the cell is served."""

    _source: Source = PrivateAttr(default=Source("<cell>", {}))
    _robot_models: Mapping[str, RobotModel] = PrivateAttr(default={})

    def section(self, name: str, table: type[SectionTable]) -> Mapping[str, SectionTable]:
        """The entries of a device's section, by name."""
        entries: Mapping[str, SectionTable] = getattr(self, name)
        return entries

    @property
    def source(self) -> Source:
        """Where its keys stand, for problems that only building the cell can find."""
        return self._source

    @property
    def robot_models(self) -> Mapping[str, RobotModel]:
        """What the robots' model files say, by the robot's name."""
        return self._robot_models
