"""Which joints the step can carry: springs, dampers, friction and stops against the integrator.

Each tree is linearised, M q̈ + D q̇ + K q = 0, with the slope of the dry friction at rest and with
all stops as if they were touched. Each eigenvalue λ of that flow must satisfy

    rk4             |1 + z + z²/2 + z³/6 + z⁴/24| ≤ 1,   z = h λ
    semi_implicit   |eigenvalue of the step v₊ = v + h a, q₊ = q + h v₊| ≤ 1

The inertia that a joint feels depends on how the tree is bent, so this is asked in many positions:
the start, all joints at 0, at either stop, and some spread evenly over what the joints can reach.
A tree that floats has less inertia in its joints than one that is held, so held is safe as well.
"""

import math

import numpy as np

from sim.build.joint_response import TreeOfJoints, joint_response
from sim.model import NONE, REVOLUTE, Bodies, Floats, Joints, Trees
from sim.spec.problems import Problems

STOP_RATE = 0.3  # of 1/h: how fast a stop of our choice answers; chosen, well inside both limits
SLACK = 1.0e-9  # an undamped mode sits on the very edge of the allowed region
N_SPREAD = 24  # positions besides start, zero and stops; chosen: costs milliseconds for an arm
LONG_TREE = 50  # joints: of longer ones only start, zero and stops are looked at; chosen
SLIDE_RANGE_M = 1.0  # either way from the start, for a slide without stops; chosen


def settle_joints(
    bodies: Bodies,
    trees: Trees,
    joints: Joints,
    names: list[str],
    start: Floats,
    step: float,
    rk4: bool,
    problems: Problems,
) -> Joints:
    """Choose the stops that the file leaves open, and refuse joints that the step cannot carry."""
    for tree in trees_of_joints(bodies, trees):
        positions = _positions(joints, tree, start)
        responses = [joint_response(bodies, joints, tree, q) for q in positions]
        joints = _fill_stops(joints, tree, responses, step)
        growth, worst = _greatest_growth(joints, tree, responses, step, rk4)
        if growth > 1 + SLACK:
            problems.add(
                f"joint.{names[worst]}",
                f"its spring, damper, friction or stop is too stiff for a step of {step * 1e3:g} ms"
                f" (in some position each step multiplies a disturbance by {growth:.2f})",
                hint="lower stiffness, damping, friction or stop values, raise the friction speed,"
                " or shorten step_s",
            )
    return joints


def trees_of_joints(bodies: Bodies, trees: Trees) -> list[TreeOfJoints]:
    """The trees that have joints."""
    found = [
        TreeOfJoints(int(first), int(end), [int(j) for j in bodies.joint[first:end] if j != NONE])
        for first, end in zip(trees.first, trees.end, strict=True)
    ]
    return [tree for tree in found if tree.joints]


def _positions(joints: Joints, tree: TreeOfJoints, start: Floats) -> list[Floats]:
    """Joint positions in which a tree is looked at."""
    free = np.where(joints.type == REVOLUTE, math.pi, SLIDE_RANGE_M)
    lower = np.where(np.isfinite(joints.lower), joints.lower, start - free)
    upper = np.where(np.isfinite(joints.upper), joints.upper, start + free)
    positions = [start, np.clip(0.0, lower, upper), lower, upper]
    # multiples of roots of primes fill a cube evenly, and are the same in every run
    roots = np.sqrt(_primes(len(tree.joints)))
    for k in range(1, N_SPREAD + 1 if len(tree.joints) <= LONG_TREE else 1):
        spread = start.copy()
        share = np.modf(k * roots)[0]
        low, high = lower[tree.joints], upper[tree.joints]
        spread[tree.joints] = low + share * (high - low)
        positions.append(spread)
    return positions


def _primes(n: int) -> list[int]:
    found: list[int] = []
    candidate = 2
    while len(found) < n:
        if all(candidate % prime for prime in found):
            found.append(candidate)
        candidate += 1
    return found


def _fill_stops(joints: Joints, tree: TreeOfJoints, responses: list[Floats], step: float) -> Joints:
    """Stops that the file leaves open: as stiff as the step carries well, critically damped.

    All of them together have no mode faster than STOP_RATE / step in any of the positions.
    """
    rate = STOP_RATE / step
    stiffness, damping = joints.stop_stiffness.copy(), joints.stop_damping.copy()
    inertias = 1 / np.max([np.diag(response) for response in responses], axis=0)
    alone = rate**2 * inertias
    fastest = max(float(np.abs(np.linalg.eigvals(r * alone)).max()) for r in responses)
    together = alone * rate**2 / fastest
    for joint, own, inertia in zip(tree.joints, together, inertias, strict=True):
        # 2 k / rate is critical for our own stiffness, in every mode of all stops together
        critical = 2 * math.sqrt(stiffness[joint] * inertia)
        if np.isnan(stiffness[joint]):
            stiffness[joint] = own
            critical = 2 * own / rate
        if np.isnan(damping[joint]):
            damping[joint] = critical
    return joints._replace(stop_stiffness=stiffness, stop_damping=damping)


def _greatest_growth(
    joints: Joints, tree: TreeOfJoints, responses: list[Floats], step: float, rk4: bool
) -> tuple[float, int]:
    """Largest factor by which one step multiplies a mode, and the joint to blame."""
    stopped = np.isfinite(joints.lower) | np.isfinite(joints.upper)
    k = joints.stiffness + np.where(stopped, joints.stop_stiffness, 0)
    d = joints.damping + joints.friction / joints.friction_speed
    d = (d + np.where(stopped, joints.stop_damping, 0))[tree.joints]
    k = k[tree.joints]
    greatest, worst = 0.0, tree.joints[0]
    for response in responses:
        n = len(tree.joints)
        flow = np.block([[np.zeros((n, n)), np.eye(n)], [-response * k, -response * d]])
        growth = _amplification(flow, step, rk4)
        if growth > greatest:
            share = np.diag(response) * (k * step**2 + d * step)
            greatest, worst = growth, tree.joints[int(np.argmax(share))]
    return greatest, worst


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
