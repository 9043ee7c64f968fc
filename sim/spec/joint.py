"""What a cell file may say about a joint: one class a type.

Joints whose position is an angle share their keys, as springs, dampers, friction and stops act on
the coordinate; `joint_keys.py` says which key is which quantity.
"""

from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from twincell.sim.spec.table import (
    HERE,
    Name,
    NotNegative,
    Number,
    PlaceName,
    Positive,
    Table,
    Vector,
)


class FixedJoint(Table):
    """Two bodies that move as one."""

    type: Literal["fixed"]
    parent: PlaceName
    """Body, frame, mover, robot or link that carries the child."""
    child: Name
    """Body that is carried."""
    position_m: Vector = HERE
    """The child's frame, seen from the parent's."""
    orientation_deg: Vector = HERE
    """How the child's frame is turned, seen from the parent's."""


class MovingJoint(Table):
    """A joint with a coordinate."""

    type: str
    parent: PlaceName
    """Body, frame, mover, robot or link that carries the child."""
    child: Name
    """Body that is carried."""
    position_m: Vector = HERE
    """The child's frame at position 0, seen from the parent's."""
    orientation_deg: Vector = HERE
    """How the child's frame is turned at position 0, seen from the parent's."""
    axis: Vector = (0.0, 0.0, 1.0)
    """About or along which it moves, in the child's frame."""


class AngularJoint(MovingJoint):
    """A joint whose coordinate is an angle."""

    start_deg: Number = 0.0
    """Angle at the start."""
    start_velocity_deg_s: Number = 0.0
    """Angular velocity at the start."""
    stiffness_nm_rad: NotNegative = 0.0
    """Spring."""
    rest_deg: Number = 0.0
    """Angle at which the spring is at ease."""
    damping_nms_rad: NotNegative = 0.0
    """Viscous damper."""
    friction_nm: NotNegative = 0.0
    """Dry friction torque."""
    friction_speed_deg_s: Positive = 1.0
    """Speed at which dry friction has reached tanh(1) = 76 % of its torque."""
    lower_deg: Number | None = None
    """Stop at the lower end; left out: none."""
    upper_deg: Number | None = None
    """Stop at the upper end; left out: none."""
    stop_stiffness_nm_rad: Positive | None = None
    """Of both stops; left out: chosen for the step and the inertia."""
    stop_damping_nms_rad: NotNegative | None = None
    """Of both stops; left out: critical for the stop's stiffness."""


class RevoluteJoint(AngularJoint):
    """A hinge."""

    type: Literal["revolute"]


class ScrewJoint(AngularJoint):
    """A screw: it turns about its axis and advances along it."""

    type: Literal["screw"]
    pitch_m: Number
    """How far it advances in a turn; negative: a left-handed thread."""


class PrismaticJoint(MovingJoint):
    """A slide."""

    type: Literal["prismatic"]
    start_m: Number = 0.0
    """Position at the start."""
    start_velocity_m_s: Number = 0.0
    """Velocity at the start."""
    stiffness_n_m: NotNegative = 0.0
    """Spring."""
    rest_m: Number = 0.0
    """Position at which the spring is at ease."""
    damping_ns_m: NotNegative = 0.0
    """Viscous damper."""
    friction_n: NotNegative = 0.0
    """Dry friction force."""
    friction_speed_m_s: Positive = 0.01
    """Speed at which dry friction has reached tanh(1) = 76 % of its force."""
    lower_m: Number | None = None
    """Stop at the lower end; left out: none."""
    upper_m: Number | None = None
    """Stop at the upper end; left out: none."""
    stop_stiffness_n_m: Positive | None = None
    """Of both stops; left out: chosen for the step and the mass."""
    stop_damping_ns_m: NotNegative | None = None
    """Of both stops; left out: critical for the stop's stiffness."""


Joint = Annotated[
    FixedJoint | RevoluteJoint | PrismaticJoint | ScrewJoint, Field(discriminator="type")
]
JOINT_TABLES: dict[str, Any] = {  # by the type that they name
    word: table
    for table in get_args(get_args(Joint)[0])
    if issubclass(table, MovingJoint)
    for word in get_args(table.model_fields["type"].annotation)
}
