"""How the joints of a tree answer to their efforts: the inverse mass matrix, seen by the joints.

    M = Σ m J_vᵀ J_v + J_ωᵀ I J_ω + gear   over the bodies, J: what the coordinates do to a body

A tree that floats has six more coordinates; they are eliminated by taking the joints' block of M⁻¹.
"""

from typing import NamedTuple

import numpy as np

from twincell.sim.model import NONE, Bodies, Floats, Joints
from twincell.sim.pose import matrix_of, turned_about


class TreeOfJoints(NamedTuple):
    """A kinematic tree that has joints."""

    first: int  # its first body
    end: int  # one past its last body
    joints: list[int]


class _Placed(NamedTuple):
    R: Floats
    c: Floats


_AT_REST = _Placed(np.eye(3), np.zeros(3))


def joint_response(bodies: Bodies, joints: Joints, tree: TreeOfJoints, q: Floats) -> Floats:
    """Acceleration of each of a tree's joints for an effort in each, at joint positions q."""
    placed, axes = _place(bodies, joints, tree, q)
    n_base = 6 if bodies.joint[tree.first] == NONE else 0
    n = n_base + len(tree.joints)
    # velocity of a centre of mass, and angular velocity, for each coordinate: from body to body
    linear: dict[int, Floats] = {}
    angular: dict[int, Floats] = {}
    mass = np.zeros((n, n))
    for body in range(tree.first, tree.end):
        joint = int(bodies.joint[body])
        carrier = int(joints.parent[joint]) if joint != NONE else NONE
        if carrier in placed:
            arm = placed[body].c - placed[carrier].c
            angular[body] = angular[carrier].copy()
            linear[body] = linear[carrier] + np.cross(angular[carrier], arm, axis=0)
        else:
            linear[body], angular[body] = np.zeros((3, n)), np.zeros((3, n))
        if joint == NONE:
            linear[body][:, :3] = angular[body][:, 3:6] = np.eye(3)
        else:
            _add_joint(
                joints,
                joint,
                *axes[joint],
                placed[body].c,
                linear[body],
                angular[body],
                n_base + tree.joints.index(joint),
            )
        inertia = placed[body].R @ _inertia(bodies, body) @ placed[body].R.T
        mass += bodies.mass[body] * linear[body].T @ linear[body]
        mass += angular[body].T @ inertia @ angular[body]
    coordinates = range(n_base, n)
    mass[coordinates, coordinates] += joints.gear[tree.joints]
    return np.asarray(np.linalg.inv(mass)[n_base:, n_base:])


def _add_joint(
    joints: Joints,
    joint: int,
    point: Floats,
    axis: Floats,
    center: Floats,
    linear: Floats,
    angular: Floats,
    column: int,
) -> None:
    """What a joint does to the body that it carries."""
    angular[:, column] = joints.turn[joint] * axis
    linear[:, column] = np.cross(angular[:, column], center - point) + joints.slide[joint] * axis


def _place(
    bodies: Bodies, joints: Joints, tree: TreeOfJoints, q: Floats
) -> tuple[dict[int, _Placed], dict[int, tuple[Floats, Floats]]]:
    """Poses of a tree's bodies with its root at the origin, and its joints' points and axes."""
    placed: dict[int, _Placed] = {}
    axes: dict[int, tuple[Floats, Floats]] = {}
    for body in range(tree.first, tree.end):
        joint = int(bodies.joint[body])
        if joint == NONE:
            placed[body] = _AT_REST
            continue
        base = placed.get(int(joints.parent[joint]), _AT_REST)
        R = base.R @ matrix_of(joints.q_AJ[joint])
        point = base.c + base.R @ joints.p_AJ[joint]
        axis = R @ joints.axis_B[joint]
        if joints.turn[joint] == 1:
            R = turned_about(axis, q[joint]) @ R
        point = point + axis * joints.slide[joint] * q[joint]
        axes[joint] = (point, axis)
        placed[body] = _Placed(R, point - R @ joints.p_BJ[joint])
    return placed, axes


def _inertia(bodies: Bodies, body: int) -> Floats:
    xx, yy, zz, xy, xz, yz = bodies.inertia[body]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
