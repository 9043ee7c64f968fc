"""What a cell file may say about a robot: its model file, its drives, and the moves it is given.

Lists have one number a joint in degrees (hinges, screws), or one a joint in metres (slides), in the
order from the root of the robot outwards.
"""

from typing import Annotated, Literal

from pydantic import Field

from twincell.sim.spec.table import (
    HERE,
    NotNegative,
    NotNegatives,
    Numbers,
    PlaceName,
    Positive,
    Positives,
    Share,
    Table,
    Vector,
)


class Servo(Table):
    """How drives hold their joints to the target: stiffness, damping, integral, feed-forward."""

    bandwidth_hz: Positive = 8.0
    """How fast an error dies away, for the gains that are left out."""
    damping_ratio: Positive = 1.0
    """1: without overshoot, for the gains that are left out."""
    stiffness_nm_rad: Positives | None = None
    """Torque per error of each hinge or screw."""
    stiffness_n_m: Positives | None = None
    """Force per error of each slide."""
    damping_nms_rad: NotNegatives | None = None
    """Torque per error in speed of each hinge or screw."""
    damping_ns_m: NotNegatives | None = None
    """Force per error in speed of each slide."""
    integral_s: Positive | None = None
    """Time in which the integral part gives as much as the stiffness; left out: none."""
    feed_forward: bool = True
    """Add what the robot's own model says its target motion takes, without load."""


class Robot(Table):
    """A robot with its drives; its name is also its tool centre point, to mount things on."""

    model: Annotated[str, Field(min_length=1)]
    """Shipped model by its name, or a file (.urdf or .toml) seen from the cell file's folder."""
    on: PlaceName | None = None
    """Frame, body, mover, robot or link on which it stands; left out: the world."""
    position_m: Vector = HERE
    """Where its root link is, seen from what it stands on."""
    orientation_deg: Vector = HERE
    """How its root link is turned, seen from what it stands on."""
    drive: Literal["servo", "ideal"] = "servo"
    """servo: drives that give way under load; ideal: joints follow their targets exactly."""
    tip: str | None = None
    """Link that carries the tool centre point; left out: the last one."""
    tcp_position_m: Vector = HERE
    """Tool centre point, seen from the tip."""
    tcp_orientation_deg: Vector = HERE
    """How the tool centre point is turned, seen from the tip."""
    start_deg: Numbers | None = None
    """Angle of each hinge or screw at the start, from the root outwards; left out: 0."""
    start_m: Numbers | None = None
    """Position of each slide at the start, from the root outwards; left out: 0."""
    gear_inertia_kg_m2: NotNegatives | None = None
    """Motor and gear of each hinge or screw, seen at the joint; left out: as in the model file."""
    gear_mass_kg: NotNegatives | None = None
    """Motor and gear of each slide, seen at the joint; left out: as in the model file."""
    servo: Servo = Servo()
    ramp_s: Positive = 0.3
    """From rest to a joint's greatest speed: gives the limit of its acceleration."""
    jerk_ramp_s: Positive = 0.1
    """From none to that acceleration: gives the limit of its jerk."""
    set_point_period_s: Positive = 0.01
    """How often a controller sends set points: they are joined smoothly."""
    watchdog_s: Positive = 0.1
    """A stream of set points that is silent for so long is called lost."""


# ---------------------------------------------------------------- moves


class Dynamics(Table):
    """How much of a robot's limits a move may use."""

    speed: Share = 1.0
    """Share of the joints' greatest speeds."""
    acceleration: Share = 1.0
    """Share of their greatest accelerations."""
    jerk: Share = 1.0
    """Share of their greatest jerks."""


class MoveJoint(Dynamics):
    """To joint positions or a pose, all joints together, each at constant share of its way."""

    joints_deg: Numbers | None = None
    """Angle of each hinge or screw, from the root outwards."""
    joints_m: Numbers | None = None
    """Position of each slide, from the root outwards."""
    position_m: Vector | None = None
    """Tool centre point in the world, instead of joint positions."""
    orientation_deg: Vector = HERE
    """How the tool centre point is turned there."""


class MoveLinear(Dynamics):
    """The tool centre point along a straight line to a pose."""

    position_m: Vector
    """Where to, in the world."""
    orientation_deg: Vector = HERE
    """How the tool centre point is turned there."""
    speed_m_s: Positive = 0.25
    """Greatest speed of the tool centre point."""
    speed_deg_s: Positive = 90.0
    """Greatest angular speed of the tool centre point."""


class ViaPoint(Table):
    """A pose on the way."""

    position_m: Vector
    """Where, in the world."""
    orientation_deg: Vector = HERE
    """How the tool centre point is turned there."""
    blend_m: NotNegative = 0.05
    """How far from it the corner begins to be cut; no effect on the last point."""


class MoveVia(Dynamics):
    """The tool centre point along straight lines past poses, without a stop in between."""

    points: Annotated[list[ViaPoint], Field(min_length=1)]
    """Poses to pass; the last one is where it stops."""
    speed_m_s: Positive = 0.25
    """Greatest speed of the tool centre point."""
    speed_deg_s: Positive = 90.0
    """Greatest angular speed of the tool centre point."""
