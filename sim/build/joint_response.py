"""How the joints of a tree answer to their efforts: the inverse mass matrix, seen by the joints.

    M = Σ m J_vᵀ J_v + J_ωᵀ I J_ω          over the bodies, J: what the coordinates do to a body

A tree that floats has six more coordinates; they are eliminated by taking the joints' block of M⁻¹.
"""

from typing import NamedTuple

import numpy as np

from sim.build.pose import cross_matrix, matrix_of, turned_about
from sim.model import NONE, REVOLUTE, Bodies, Floats, Joints


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
    mass = np.zeros((n_base + len(tree.joints),) * 2)
    for body in range(tree.first, tree.end):
        linear, angular = _jacobian(bodies, joints, tree, placed, axes, body)
        inertia = placed[body].R @ _inertia(bodies, body) @ placed[body].R.T
        mass += bodies.mass[body] * linear.T @ linear + angular.T @ inertia @ angular
    return np.asarray(np.linalg.inv(mass)[n_base:, n_base:])


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
        if joints.type[joint] == REVOLUTE:
            R = turned_about(axis, q[joint]) @ R
        else:
            point = point + axis * q[joint]
        axes[joint] = (point, axis)
        placed[body] = _Placed(R, point - R @ joints.p_BJ[joint])
    return placed, axes


def _jacobian(
    bodies: Bodies,
    joints: Joints,
    tree: TreeOfJoints,
    placed: dict[int, _Placed],
    axes: dict[int, tuple[Floats, Floats]],
    body: int,
) -> tuple[Floats, Floats]:
    """What the tree's coordinates do to a body's centre of mass, and to its rotation."""
    n_base = 6 if bodies.joint[tree.first] == NONE else 0
    linear = np.zeros((3, n_base + len(tree.joints)))
    angular = np.zeros_like(linear)
    if n_base:
        linear[:, :3] = angular[:, 3:6] = np.eye(3)
        linear[:, 3:6] = -cross_matrix(placed[body].c - placed[tree.first].c)
    at = body
    while at in placed and bodies.joint[at] != NONE:
        joint = int(bodies.joint[at])
        point, axis = axes[joint]
        column = n_base + tree.joints.index(joint)
        if joints.type[joint] == REVOLUTE:
            linear[:, column] = np.cross(axis, placed[body].c - point)
            angular[:, column] = axis
        else:
            linear[:, column] = axis
        at = int(joints.parent[joint])
    return linear, angular


def _inertia(bodies: Bodies, body: int) -> Floats:
    xx, yy, zz, xy, xz, yz = bodies.inertia[body]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
