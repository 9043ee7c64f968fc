"""The moves a robot program knows: joint move, linear move, linear move past points.

Each function returns a plan or raises `Refused` with the reason. None changes anything.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from twincell.sim.model import Floats
from twincell.sim.plan.arm import Arm
from twincell.sim.plan.asked import (
    Pace,
    Point,
    check_limit,
    check_pace,
    check_stands_still,
    checked_joints,
    checked_point,
    checked_via,
)
from twincell.sim.plan.extremes import turning_points
from twincell.sim.plan.follow import follow, place
from twincell.sim.plan.law import rest_to_rest, speeds_along
from twincell.sim.plan.plan import Plan, Refused
from twincell.sim.plan.route import Route, route_past

ROUNDING = 1.0e-12  # [rad] or [m]: a joint move of no more than this is none


def plan_joint(
    arm: Arm,
    start_q: Any,
    target_q: Any,
    speed: float = 1.0,
    acceleration: float = 1.0,
    jerk: float = 1.0,
) -> Plan:
    """All joints start and arrive together, on a straight line in joint space."""
    pace = Pace(speed, acceleration, jerk)
    check_pace(pace)
    start = checked_joints(arm, start_q, "start")
    target = checked_joints(arm, target_q, "target")
    longest = np.abs(target - start).max()
    if longest <= ROUNDING:
        return _stay(start)
    pieces = np.zeros((arm.n_axis, 1, 4))
    pieces[:, 0, 0] = start
    pieces[:, 0, 1] = (target - start) / longest  # s is the way of the joint that goes farthest
    return _timed(arm, np.array([0.0, longest]), pieces, pace, math.inf)


def plan_joint_to_pose(
    arm: Arm,
    start_q: Any,
    position: Any,
    quaternion: Any,
    speed: float = 1.0,
    acceleration: float = 1.0,
    jerk: float = 1.0,
) -> Plan:
    """Joint move to the nearest joint positions found that bring the TCP to a pose."""
    check_stands_still(arm)
    start = checked_joints(arm, start_q, "start")
    target = checked_point(position, quaternion, 0.0, "target")
    found = arm.search(start, target.p_W, target.q_W)
    if isinstance(found, str):
        raise Refused(f"target: {arm.name} cannot be there: {found}")
    return plan_joint(arm, start, found, speed, acceleration, jerk)


def plan_linear(
    arm: Arm,
    start_q: Any,
    position: Any,
    quaternion: Any,
    speed_m_s: float,
    speed_rad_s: float,
    speed: float = 1.0,
    acceleration: float = 1.0,
    jerk: float = 1.0,
) -> Plan:
    """The TCP goes on a straight line and turns about one axis, the short way."""
    pace = Pace(speed, acceleration, jerk, speed_m_s, speed_rad_s)
    return _past(arm, start_q, [checked_point(position, quaternion, 0.0, "target")], pace)


def plan_via(
    arm: Arm,
    start_q: Any,
    points: Sequence[tuple[Any, Any, float]],
    speed_m_s: float,
    speed_rad_s: float,
    speed: float = 1.0,
    acceleration: float = 1.0,
    jerk: float = 1.0,
) -> Plan:
    """The TCP goes on straight lines past the points (position, quaternion, blend_m).

    It leaves a line blend_m before its end, at most half the line, and stops only at the last
    point. That one's blend is not used.
    """
    if not isinstance(points, Sequence) or len(points) == 0:
        raise Refused(f"{points!r}: a move needs a list of at least one point")
    pace = Pace(speed, acceleration, jerk, speed_m_s, speed_rad_s)
    checked = [checked_via(point, f"point {i + 1}") for i, point in enumerate(points)]
    return _past(arm, start_q, checked, pace)


def _past(arm: Arm, start_q: Any, points: list[Point], pace: Pace) -> Plan:
    check_pace(pace)
    check_stands_still(arm)
    start = checked_joints(arm, start_q, "start")
    route = route_past(Point(*arm.forward(start), blend=0.0), points)
    if not route.spans:
        return _stay(start)
    knots, pieces = follow(arm, start, route)
    _check_limits_along(arm, route, knots, pieces)
    metres, radians = route.greatest_speeds
    most_speed = min(
        pace.speed_m_s / metres if metres > 0 else math.inf,
        pace.speed_rad_s / radians if radians > 0 else math.inf,
    )
    return _timed(arm, knots, pieces, pace, most_speed)


def _check_limits_along(arm: Arm, route: Route, knots: Floats, pieces: Floats) -> None:
    """Refuse a path that leaves the joints' limits anywhere."""
    places, positions = turning_points(knots, pieces)
    for rows in (positions.argmin(axis=0), positions.argmax(axis=0)):
        for joint, row in enumerate(rows):
            check_limit(arm, joint, positions[row, joint], place(route, places[row, joint]))


def _timed(arm: Arm, knots: Floats, pieces: Floats, pace: Pace, most_speed: float) -> Plan:
    v, a, j = speeds_along(arm, knots, pieces, pace, most_speed)
    return Plan(knots, pieces, rest_to_rest(float(knots[-1]), v, a, j), np.array([a, j]))


def _stay(start: Floats) -> Plan:
    """A move that is over at once; its limits are never needed, but must not be zero."""
    pieces = np.zeros((len(start), 1, 4))
    pieces[:, 0, 0] = start
    return Plan(np.array([0.0, 1.0]), pieces, np.array([[0.0, 1, 0, 0, 0]]), np.ones(2))
