"""Which joints the step can carry: springs, dampers, friction, stops and servos.

Each tree is linearised, M q̈ + D q̇ + K q = z, with the slope of the dry friction at rest, with all
stops as if they were touched, and with the gains of servo drives; z, the integral part of servos,
changes once a tick: z₊ = z - h K_i q. No eigenvalue of one step may be larger than 1:

    rk4             x₊ = (1 + A + A²/2 + A³/6 + A⁴/24) x + ...     x = (q, q̇), ẋ = A x / h
    semi_implicit   v₊ = v + h a, q₊ = q + h v₊

Stops and friction help against an integral part that is too quick, so a tree that has one is asked
without them too. The inertia that a joint feels depends on how the tree is bent, so all this is
asked in many positions: the start, all joints at 0, at either stop, and some spread evenly over
what the joints can reach. A tree that floats has less inertia in its joints than one that is held,
so held is safe as well.
"""

import math
from typing import NamedTuple

import numpy as np

from twincell.sim.build.joint_response import TreeOfJoints, joint_response
from twincell.sim.build.servos import fill_gains
from twincell.sim.build.spread import evenly_spread
from twincell.sim.model import NONE, Axes, Bodies, Floats, Joints, Trees
from twincell.sim.spec.problems import Problems
from twincell.sim.spec.robot import Servo

STOP_RATE = 0.3  # of 1/h: how fast a stop of our choice answers; chosen, well inside both limits
SLACK = 1.0e-9  # an undamped mode sits on the very edge of the allowed region
BARE_SLACK = 1.0e-7  # a joint that nothing holds is a double eigenvalue 1, found to about 1e-8
LONG_TREE = 50  # joints: of longer ones only start, zero and stops are looked at; chosen
SLIDE_RANGE_M = 1.0  # either way from the start, for a slide without stops; chosen


class Place(NamedTuple):
    """Where the cell file speaks of a joint, and how to call it there."""

    key: str
    what: str
    hint: str


def place_of_joint(name: str) -> Place:
    """A joint that the cell file describes itself."""
    return Place(
        f"joint.{name}",
        "its spring, damper, friction or stop",
        "lower stiffness, damping, friction or stop values, raise the friction speed,"
        " or shorten step_s",
    )


def place_of_axis(robot: str, joint: str) -> Place:
    """A joint of a robot."""
    return Place(
        f"robot.{robot}.servo",
        f"the drive, friction or stop of {joint}",
        "lower bandwidth_hz or the gains, raise integral_s, give the inertia of its gear,"
        " or shorten step_s",
    )


def settle_joints(
    bodies: Bodies,
    joints: Joints,
    axes: Axes,
    servos: list[Servo],
    trees: list[TreeOfJoints],
    places: list[Place],
    start: Floats,
    step: float,
    rk4: bool,
    problems: Problems,
) -> tuple[Joints, Axes]:
    """Choose stops and gains that the file leaves open; refuse what the step cannot carry."""
    for tree in trees:
        positions = _positions(joints, tree, start)
        responses = [joint_response(bodies, joints, tree, q) for q in positions]
        joints = _fill_stops(joints, tree, responses, step)
        axes = fill_gains(axes, servos, tree, responses)
        growth, worst = _greatest_growth(joints, axes, tree, responses, step, rk4)
        place = places[worst]
        if growth > 1 + SLACK:
            problems.add(
                place.key,
                f"{place.what} is too stiff for a step of {step * 1e3:g} ms"
                f" (in some position each step multiplies a disturbance by {growth:.6g})",
                hint=place.hint,
            )
        elif _swings(joints, axes, tree, responses, step, rk4):
            problems.add(
                f"{place.key}.integral_s",
                "is so short that the integral part makes the joints swing ever more",
                hint="raise it, or the damping",
            )
    return joints, axes


def _swings(
    joints: Joints,
    axes: Axes,
    tree: TreeOfJoints,
    responses: list[Floats],
    step: float,
    rk4: bool,
) -> bool:
    """Whether integral parts are unstable where no stop and no friction helps."""
    own = [k for k, joint in enumerate(axes.joint) if joint in tree.joints]
    if not axes.integral[own].any():
        return False
    nothing = np.zeros(len(joints.parent))
    endless = np.full(len(joints.parent), np.inf)
    bare = joints._replace(friction=nothing, lower=-endless, upper=endless)
    return _greatest_growth(bare, axes, tree, responses, step, rk4)[0] > 1 + BARE_SLACK


def trees_of_joints(bodies: Bodies, trees: Trees, n_driven: int) -> list[TreeOfJoints]:
    """The trees that have joints that forces move."""
    found = [
        TreeOfJoints(int(first), int(end), [int(j) for j in bodies.joint[first:end] if j != NONE])
        for first, end in zip(trees.first, trees.end, strict=True)
        if first >= n_driven
    ]
    return [tree for tree in found if tree.joints]


def _positions(joints: Joints, tree: TreeOfJoints, start: Floats) -> list[Floats]:
    """Joint positions in which a tree is looked at."""
    free = np.where(joints.turn == 1, math.pi, SLIDE_RANGE_M)
    lower = np.where(np.isfinite(joints.lower), joints.lower, start - free)
    upper = np.where(np.isfinite(joints.upper), joints.upper, start + free)
    positions = [start, np.clip(0.0, lower, upper), lower, upper]
    low, high = lower[tree.joints], upper[tree.joints]
    for share in evenly_spread(len(tree.joints)) if len(tree.joints) <= LONG_TREE else ():
        spread = start.copy()
        spread[tree.joints] = low + share * (high - low)
        positions.append(spread)
    return positions


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
    joints: Joints,
    axes: Axes,
    tree: TreeOfJoints,
    responses: list[Floats],
    step: float,
    rk4: bool,
) -> tuple[float, int]:
    """Largest factor by which one step multiplies a mode, and the joint to blame."""
    stopped = np.isfinite(joints.lower) | np.isfinite(joints.upper)
    k = joints.stiffness + np.where(stopped, joints.stop_stiffness, 0)
    d = joints.damping + joints.friction / joints.friction_speed
    d = d + np.where(stopped, joints.stop_damping, 0)
    integral = np.zeros(len(k))
    k[axes.joint] += axes.stiffness
    d[axes.joint] += axes.damping
    integral[axes.joint] += axes.integral
    k, d, integral = k[tree.joints], d[tree.joints], integral[tree.joints]
    greatest, worst = 0.0, tree.joints[0]
    for response in responses:
        one_step = _one_step(response, k, d, integral, step, rk4)
        growth = float(np.abs(np.linalg.eigvals(one_step)).max())
        if growth > greatest:
            share = np.diag(response) * (k * step**2 + d * step)
            greatest, worst = growth, tree.joints[int(np.argmax(share))]
    return greatest, worst


def _one_step(
    response: Floats, k: Floats, d: Floats, integral: Floats, step: float, rk4: bool
) -> Floats:
    """What one step does to joint positions, velocities and integral parts."""
    n = len(k)
    eye, zero = np.eye(n), np.zeros((n, n))
    if rk4:
        A = step * np.block([[zero, eye], [-response * k, -response * d]])
        push = step * np.vstack([zero, response])
        whole = np.eye(2 * n)
        held = whole + A @ (whole / 2 + A @ (whole / 6 + A / 24))
        x = np.hstack([whole + A @ held, held @ push])
    else:
        v = np.hstack([-step * response * k, eye - step * response * d, step * response])
        x = np.vstack([np.hstack([eye, zero, zero]) + step * v, v])
    if not integral.any():
        return np.asarray(x[:, : 2 * n])
    return np.vstack([x, np.hstack([-step * np.diag(integral), zero, eye])])
