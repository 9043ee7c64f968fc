"""Which joints the step can carry: springs, dampers, friction and stops against the integrator.

Each tree is linearised at the start of the cell, M q̈ + D q̇ + K q = 0, with the slope of the dry
friction at rest and both stops as if they were touched. Each eigenvalue λ must satisfy

    rk4             |1 + z + z²/2 + z³/6 + z⁴/24| ≤ 1,   z = h λ
    semi_implicit   d h + k h²/2 ≤ 2                     in its eigenmode, per unit of mass

A tree that floats has less inertia in its joints than one that is held, so this is the worst case.
"""

from typing import NamedTuple

import numpy as np

from sim.model import NONE, REVOLUTE, Bodies, Floats, Joints, Trees
from sim.spec.problems import Problems

STOP_RATE = 0.3  # of 1/h: how fast a stop of our choice answers; chosen, well inside both limits
SLACK = 1.0e-9  # an undamped mode sits on the very edge of the allowed region


class _Placed(NamedTuple):
    R: Floats
    c: Floats


def joint_inertia(bodies: Bodies, trees: Trees, joints: Joints, q: Floats) -> list[Floats]:
    """For each tree with joints: the inverse mass matrix of its joints, at the start."""
    responses = []
    for first, end in zip(trees.first, trees.end, strict=True):
        numbers = [int(j) for j in bodies.joint[first:end] if j != NONE]
        if not numbers:
            continue
        placed, axes = _place(bodies, joints, q, first, end)
        jacobians = [
            _jacobian(bodies, joints, placed, axes, numbers, body, int(first))
            for body in range(first, end)
        ]
        mass = sum(
            bodies.mass[b] * jl.T @ jl + ja.T @ _inertia(bodies, placed, b) @ ja
            for b, (jl, ja) in zip(range(first, end), jacobians, strict=True)
        )
        n_base = 0 if bodies.joint[first] != NONE else 6
        responses.append(np.linalg.inv(mass)[n_base:, n_base:])
    return responses


def _place(
    bodies: Bodies, joints: Joints, q: Floats, first: int, end: int
) -> tuple[dict[int, _Placed], dict[int, tuple[Floats, Floats]]]:
    """Poses of a tree's bodies with its root at the origin, and its joints' points and axes."""
    placed: dict[int, _Placed] = {}
    axes: dict[int, tuple[Floats, Floats]] = {}
    for body in range(first, end):
        joint = int(bodies.joint[body])
        if joint == NONE:
            placed[body] = _Placed(np.eye(3), np.zeros(3))
            continue
        base = placed.get(int(joints.parent[joint]), _Placed(np.eye(3), np.zeros(3)))
        R = base.R @ _matrix(joints.q_AJ[joint])
        point = base.c + base.R @ joints.p_AJ[joint]
        axis = R @ joints.axis_B[joint]
        if joints.type[joint] == REVOLUTE:
            R = _turn(axis * q[joint]) @ R
        else:
            point = point + axis * q[joint]
        axes[joint] = (point, axis)
        placed[body] = _Placed(R, point - R @ joints.p_BJ[joint])
    return placed, axes


def _jacobian(
    bodies: Bodies,
    joints: Joints,
    placed: dict[int, _Placed],
    axes: dict[int, tuple[Floats, Floats]],
    numbers: list[int],
    body: int,
    first: int,
) -> tuple[Floats, Floats]:
    """What the tree's coordinates do to a body's centre of mass, and to its rotation."""
    n_base = 0 if bodies.joint[first] != NONE else 6
    linear = np.zeros((3, n_base + len(numbers)))
    angular = np.zeros_like(linear)
    if n_base:
        linear[:, :3] = angular[:, 3:6] = np.eye(3)
        linear[:, 3:6] = -_cross(placed[body].c - placed[first].c)
    at = body
    while at in placed and bodies.joint[at] != NONE:
        joint = int(bodies.joint[at])
        point, axis = axes[joint]
        column = n_base + numbers.index(joint)
        if joints.type[joint] == REVOLUTE:
            linear[:, column] = np.cross(axis, placed[body].c - point)
            angular[:, column] = axis
        else:
            linear[:, column] = axis
        at = int(joints.parent[joint])
    return linear, angular


def _inertia(bodies: Bodies, placed: dict[int, _Placed], body: int) -> Floats:
    xx, yy, zz, xy, xz, yz = bodies.inertia[body]
    R = placed[body].R
    return np.asarray(R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T)


def _cross(r: Floats) -> Floats:
    return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


def _matrix(q: Floats) -> Floats:
    w, x, y, z = q
    square = w * w - x * x - y * y - z * z
    return np.asarray(square * np.eye(3) + 2 * (np.outer(q[1:], q[1:]) + w * _cross(q[1:])))


def _turn(vector: Floats) -> Floats:
    angle = float(np.linalg.norm(vector))
    if angle == 0:
        return np.eye(3)
    return _matrix(np.array([np.cos(angle / 2), *(np.sin(angle / 2) * vector / angle)]))


def fill_stops(joints: Joints, responses: dict[int, float], step: float) -> Joints:
    """Stops that the file leaves open: as stiff as the step carries well, critically damped."""
    stiffness, damping = joints.stop_stiffness.copy(), joints.stop_damping.copy()
    rate = STOP_RATE / step
    for joint, response in responses.items():
        if np.isnan(stiffness[joint]):
            stiffness[joint] = rate**2 / response
        if np.isnan(damping[joint]):
            damping[joint] = 2 * np.sqrt(stiffness[joint] / response)
    return joints._replace(stop_stiffness=stiffness, stop_damping=damping)


def tree_joints(bodies: Bodies, trees: Trees) -> list[list[int]]:
    """Joints of each tree that has any."""
    found = [
        [int(j) for j in bodies.joint[first:end] if j != NONE]
        for first, end in zip(trees.first, trees.end, strict=True)
    ]
    return [numbers for numbers in found if numbers]


def check_joints(
    joints: Joints,
    numbers: list[list[int]],
    responses: list[Floats],
    names: list[str],
    step: float,
    rk4: bool,
    problems: Problems,
) -> None:
    """Refuse joints whose spring, damper, friction or stop the step cannot carry."""
    for members, response in zip(numbers, responses, strict=True):
        stopped = np.isfinite(joints.lower) | np.isfinite(joints.upper)
        k = joints.stiffness + np.where(stopped, joints.stop_stiffness, 0)
        d = joints.damping + joints.friction / joints.friction_speed
        d = d + np.where(stopped, joints.stop_damping, 0)
        n = len(members)
        zero = np.zeros((n, n))
        flow = np.block([[zero, np.eye(n)], [-response * k[members], -response * d[members]]])
        growth = _amplification(flow, step, rk4)
        if growth > 1 + SLACK:
            share = np.diag(response) * (k[members] * step**2 + d[members] * step)
            worst = names[members[int(np.argmax(share))]]
            problems.add(
                f"joint.{worst}",
                f"its spring, damper, friction or stop is too stiff for a step of {step * 1e3:g} ms"
                f" (each step multiplies a disturbance by {growth:.2f})",
                hint="lower stiffness, damping, friction or stop values, raise the friction speed,"
                " or shorten step_s",
            )


def _amplification(flow: Floats, step: float, rk4: bool) -> float:
    """Largest factor by which one step multiplies a mode."""
    if rk4:
        z = step * np.linalg.eigvals(flow)
        return float(np.abs(1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4)))).max())
    n = len(flow) // 2
    low, eye = flow[n:], np.eye(n)
    velocity = np.hstack([step * low[:, :n], eye + step * low[:, n:]])
    position = np.hstack([eye, np.zeros((n, n))]) + step * velocity
    return float(np.abs(np.linalg.eigvals(np.vstack([position, velocity]))).max())
