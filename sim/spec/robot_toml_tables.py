"""What a robot's model file in TOML may say: one class a table, as in cell files."""

from typing import Annotated, Literal

from pydantic import Field

from twincell.sim.spec.table import (
    HERE,
    LinkName,
    NotNegative,
    Number,
    Positive,
    Symmetric,
    Table,
    Vector,
)


class LinkTable(Table):
    """A rigid part; one without a mass is only a frame on its carrier."""

    mass_kg: Positive | None = None
    """Left out: the link is only a frame."""
    inertia_kg_m2: Vector | Symmetric | None = None
    """About the centre of mass: xx, yy, zz, and if needed xy, xz, yz."""
    center_of_mass_m: Vector = HERE
    """Seen from the link's own frame."""


class FixedTable(Table):
    """Two links that move as one."""

    type: Literal["fixed"]
    parent: LinkName
    """Link that carries the child."""
    child: LinkName
    """Link that is carried."""
    position_m: Vector = HERE
    """The child's frame, seen from the parent's."""
    orientation_deg: Vector = HERE
    """How the child's frame is turned, seen from the parent's."""


class AxisTable(Table):
    """A joint with its drive."""

    type: str
    parent: LinkName
    """Link that carries the child."""
    child: LinkName
    """Link that is carried."""
    position_m: Vector = HERE
    """The child's frame at position 0, seen from the parent's."""
    orientation_deg: Vector = HERE
    """How the child's frame is turned at position 0, seen from the parent's."""
    axis: Vector = (0.0, 0.0, 1.0)
    """About or along which it moves, in the child's frame."""


class AngularTable(AxisTable):
    """A joint whose position is an angle, with its drive."""

    lower_deg: Number | None = None
    """Least angle; left out: no stop."""
    upper_deg: Number | None = None
    """Greatest angle; left out: no stop."""
    speed_deg_s: Positive
    """Greatest speed."""
    torque_nm: Positive
    """Greatest torque of its drive, at the joint."""
    damping_nms_rad: NotNegative = 0.0
    """Viscous friction."""
    friction_nm: NotNegative = 0.0
    """Dry friction."""
    gear_inertia_kg_m2: NotNegative = 0.0
    """Motor and gear, seen at the joint."""


class HingeTable(AngularTable):
    """A hinge with its drive."""

    type: Literal["revolute"]


class ScrewTable(AngularTable):
    """A screw with its drive: it turns about its axis and advances along it."""

    type: Literal["screw"]
    pitch_m: Number
    """How far it advances in a turn; negative: a left-handed thread."""


class SlideTable(AxisTable):
    """A slide with its drive."""

    type: Literal["prismatic"]
    lower_m: Number | None = None
    """Least position; left out: no stop."""
    upper_m: Number | None = None
    """Greatest position; left out: no stop."""
    speed_m_s: Positive
    """Greatest speed."""
    force_n: Positive
    """Greatest force of its drive, at the joint."""
    damping_ns_m: NotNegative = 0.0
    """Viscous friction."""
    friction_n: NotNegative = 0.0
    """Dry friction."""
    gear_mass_kg: NotNegative = 0.0
    """Motor and gear, seen at the joint."""


JointTable = Annotated[
    FixedTable | HingeTable | SlideTable | ScrewTable, Field(discriminator="type")
]


class ModelTable(Table):
    """A robot's model file."""

    name: Annotated[str, Field(min_length=1)]
    """What to call the robot."""
    description: str = ""
    """What it is, and where its figures come from."""
    link: dict[LinkName, LinkTable] = Field(default={})
    joint: dict[LinkName, JointTable] = Field(default={})
