"""A robot as its model file describes it, URDF or TOML alike: a tree of links, in SI units."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from twincell.sim.mechanics.joint_type import FileUnit
from twincell.sim.mechanics.joints import joint_type

Three = tuple[float, float, float]
Moments = tuple[float, float, float, float, float, float]  # of inertia: xx, yy, zz, xy, xz, yz


@dataclass(frozen=True)
class Inertial:
    """Mass of a link."""

    mass: float  # [kg]
    center: Three  # of mass, link axes [m]
    inertia: Moments  # about it, link axes [kg m²]


@dataclass(frozen=True)
class LinkShape:
    """A shape to draw a link with; it has no effect on the motion."""

    kind: Literal["box", "cylinder", "sphere"]
    sizes: tuple[float, ...]  # of a box: x, y, z; else radius, and of a cylinder length along z [m]
    position: Three  # of its middle, link axes [m]
    angles: Three  # about x, y, z, applied as z-y'-x'' [rad]
    colour: str | None = None  # as #RRGGBB


@dataclass(frozen=True)
class MeshReference:
    """A mesh to draw a link with, as the model file names it: nobody has looked for it yet."""

    filename: str
    scale: Three
    position: Three  # of its origin, link axes [m]
    angles: Three  # about x, y, z, applied as z-y'-x'' [rad]
    colour: str | None = None  # as #RRGGBB


@dataclass(frozen=True)
class Link:
    """A rigid part; one without a mass is only a frame on its carrier."""

    name: str
    inertial: Inertial | None = None
    shapes: tuple[LinkShape, ...] = ()
    meshes: tuple[MeshReference, ...] = ()


@dataclass(frozen=True)
class ModelJoint:
    """What joins a link to the one that carries it."""

    name: str
    type: str  # fixed, or one of JOINTS
    parent: str
    child: str
    position: Three = (0.0, 0.0, 0.0)  # of the child's frame at 0, in the parent's [m]
    angles: Three = (0.0, 0.0, 0.0)  # about x, y, z, applied as z-y'-x'' [rad]
    axis: Three = (0.0, 0.0, 1.0)  # in the child's frame, any length
    lower: float = -math.inf  # [m, rad]
    upper: float = math.inf
    velocity: float = math.inf  # greatest [m/s, rad/s]
    effort: float = math.inf  # greatest of its drive [N, Nm]
    damping: float = 0.0  # viscous [Ns/m, Nms/rad]
    friction: float = 0.0  # dry [N, Nm]
    gear: float = 0.0  # inertia of motor and gear, seen at the joint [kg, kg m²]
    sizes: tuple[float, ...] = ()  # what its motion depends on beside the axis: see `JointType`

    @property
    def moves(self) -> bool:
        return self.type != "fixed"

    @property
    def file_unit(self) -> FileUnit:
        """In which unit files give its position."""
        return joint_type(self.type).coordinate.file_unit


@dataclass(frozen=True)
class RobotModel:
    """Links and joints of a robot; the joints stand so that each comes after its parent's."""

    file: str
    links: Mapping[str, Link]
    joints: Mapping[str, ModelJoint]
    root: str  # link that stands on the ground

    @property
    def axes(self) -> tuple[ModelJoint, ...]:
        """The joints that move, from the root outwards."""
        return tuple(joint for joint in self.joints.values() if joint.moves)

    def moves(self, link: str) -> bool:
        """Whether a joint that moves lies between the root and a link."""
        above = {joint.child: joint for joint in self.joints.values()}
        while joint := above.get(link):
            if joint.moves:
                return True
            link = joint.parent
        return False

    @property
    def ends(self) -> tuple[str, ...]:
        """Links that carry nothing."""
        carrying = {joint.parent for joint in self.joints.values()}
        return tuple(name for name in self.links if name not in carrying)
