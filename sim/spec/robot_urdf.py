"""From a URDF file to a robot model.

URDF is in SI units already, and its roll, pitch and yaw are our angles: R = R_z R_y R_x.
The inertia of a link is given in axes of its own; in those of the link it is R I Rᵀ.
"""

import io
import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twincell.sim.spec.file_text import read_bytes
from twincell.sim.spec.robot_model import Inertial, Link, ModelJoint, RobotModel, Three
from twincell.sim.spec.robot_rules import assemble
from twincell.sim.spec.robot_urdf_shapes import read_shapes
from twincell.sim.spec.robot_urdf_xml import TYPES, checked_xml

Matrix = NDArray[np.float64]


def load_urdf(path: Path) -> RobotModel:
    """Read a URDF file; a SpecError says everything that is wrong with it."""
    # importing it takes most of a second, which cells without robots need not wait for
    import yourdfpy

    data = read_bytes(path)
    xml, gears = checked_xml(data, str(path))
    shapes = read_shapes(data)
    robot = yourdfpy.URDF.load(io.BytesIO(xml), build_scene_graph=False, load_meshes=False).robot
    links = {
        link.name: Link(link.name, _inertial(link.inertial), shapes[link.name])
        for link in robot.links
    }
    joints = {joint.name: _joint(joint, gears.get(joint.name, 0.0)) for joint in robot.joints}
    return assemble(str(path), links, joints)


def _inertial(given: Any) -> Inertial | None:
    if given is None:
        return None
    place = np.eye(4) if given.origin is None else given.origin
    R = place[:3, :3]
    I = R @ given.inertia @ R.T  # noqa: E741
    moments, products = _three(I.diagonal()), _three(I[[0, 0, 1], [1, 2, 2]])
    return Inertial(given.mass, _three(place[:3, 3]), (*moments, *products))


def _joint(given: Any, gear: float) -> ModelJoint:
    place = np.eye(4) if given.origin is None else given.origin
    position, angles = _three(place[:3, 3]), _angles(place[:3, :3])
    if given.type == "fixed":
        return ModelJoint(given.name, "fixed", given.parent, given.child, position, angles)
    turns_freely = given.type == "continuous"
    dynamics = given.dynamics
    return ModelJoint(
        given.name,
        TYPES[given.type],
        given.parent,
        given.child,
        position,
        angles,
        axis=_three(given.axis),
        lower=-math.inf if turns_freely else given.limit.lower or 0.0,
        upper=math.inf if turns_freely else given.limit.upper or 0.0,
        velocity=given.limit.velocity,
        effort=given.limit.effort,
        damping=float(dynamics.damping or 0) if dynamics else 0.0,
        friction=float(dynamics.friction or 0) if dynamics else 0.0,
        gear=gear,
    )


def _three(vector: Matrix) -> Three:
    x, y, z = map(float, vector)
    return x, y, z


def _angles(R: Matrix) -> Three:
    """Angles about x, y, z of a rotation.

    C comes first, and A from what is left after it: at B = ±90°, where C is not unique, A fits it.
    """
    c = math.atan2(R[1, 0], R[0, 0])
    b = math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0]))
    sin, cos = math.sin(c), math.cos(c)
    a = math.atan2(sin * R[0, 2] - cos * R[1, 2], cos * R[1, 1] - sin * R[0, 1])
    return a, b, c
