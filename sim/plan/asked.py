"""What a move may ask for: refuses numbers that make no sense, before anything is planned."""

import math
from typing import Any, NamedTuple

import numpy as np

from twincell.sim.model import Floats
from twincell.sim.plan.arm import Arm
from twincell.sim.plan.plan import Refused

SLACK = 1.0e-9  # [rad] or [m] beyond a limit that is rounding, not intent
SLOWEST = 1.0e-6  # of a limit, [m/s] or [rad/s]; chosen: what is slower stands still
LARGEST = 1.0e9  # [m] or [rad]; chosen: as in a cell file
UNIT_SLACK = 1.0e-6  # a quaternion written with seven digits is of unit length


class Pace(NamedTuple):
    """Which share of the joints' limits a move may use, and how fast the TCP may be."""

    speed: float
    acceleration: float
    jerk: float
    speed_m_s: float = math.inf
    speed_rad_s: float = math.inf


class Point(NamedTuple):
    """A pose on the way, and how far from it the way may leave its lines."""

    p_W: Floats
    q_W: Floats
    blend: float


def check_stands_still(arm: Arm) -> None:
    """Refuse poses in the world for a robot whose own place in it is not known beforehand."""
    if not arm.stands_still:
        raise Refused(f"{arm.name} stands on something that moves: give it joint positions")


def check_pace(pace: Pace) -> None:
    """Refuse shares that are none, and a TCP that may not move."""
    for name, value in zip(Pace._fields, pace, strict=True):
        _number(value, name)
    for name, share in zip(Pace._fields[:3], pace[:3], strict=True):
        if not SLOWEST <= share <= 1:
            raise Refused(
                f"{name} is {share:g}: it is a share of the joints' limits,"
                f" at least {SLOWEST:g} and at most 1"
            )
    for name, speed in zip(Pace._fields[3:], pace[3:], strict=True):
        if not speed >= SLOWEST:
            raise Refused(f"{name} is {speed:g}: it must be at least {SLOWEST:g}")


def checked_joints(arm: Arm, asked: Any, what: str) -> Floats:
    """Joint positions that the arm can have; `what` they are stands at the start of a refusal."""
    q = _numbers(asked, arm.n_axis, what, f"{arm.name} has {arm.n_axis} joints")
    for joint, value in enumerate(q):
        check_limit(arm, joint, value, what)
    return q


def check_limit(arm: Arm, joint: int, value: float, what: str) -> None:
    """Refuse a position of a joint beyond its limits."""
    lower, upper = arm.lower[joint], arm.upper[joint]
    if not lower - SLACK <= value <= upper + SLACK:
        name, limit = ("lower", lower) if value < lower else ("upper", upper)
        raise Refused(
            f"{what}: {arm.joint_names[joint]} at {arm.shown(joint, value)} is beyond its"
            f" {name} limit of {arm.shown(joint, limit)}"
        )


def checked_via(point: Any, what: str) -> Point:
    """A point of a move past several: position, quaternion and blend."""
    try:
        position, quaternion, blend_m = point
    except (TypeError, ValueError):
        raise Refused(f"{what}: {point!r} is not (position, quaternion, blend_m)") from None
    return checked_point(position, quaternion, blend_m, what)


def checked_point(position: Any, quaternion: Any, blend_m: float, what: str) -> Point:
    """A pose as numbers, with a quaternion of exactly unit length."""
    p_W = _numbers(position, 3, f"{what}, position", "a position has 3, in metres")
    q_W = _numbers(quaternion, 4, f"{what}, quaternion", "a quaternion has 4: w, x, y, z")
    length = float(np.linalg.norm(q_W))
    if abs(length - 1) > UNIT_SLACK:
        raise Refused(
            f"{what}: the quaternion {q_W.tolist()} has the length {length:.7g}: it must be 1"
        )
    if not 0 <= _number(blend_m, f"{what}: blend_m") < math.inf:
        raise Refused(f"{what}: blend_m is {blend_m:g}: it must be 0 or more, in metres")
    return Point(p_W, q_W / length, float(blend_m))


def _number(asked: Any, what: str) -> float:
    if isinstance(asked, bool) or not isinstance(asked, int | float | np.number):
        raise Refused(f"{what} is {asked!r}: it must be a number")
    return float(asked)


def _numbers(asked: Any, count: int, what: str, remedy: str) -> Floats:
    """The right count of finite numbers."""
    try:
        numbers = np.array(asked, dtype=float)
    except (TypeError, ValueError):
        raise Refused(f"{what}: {asked!r} is not a list of numbers; {remedy}") from None
    if numbers.shape != (count,):
        raise Refused(f"{what}: {numbers.size} numbers {numbers.tolist()}; {remedy}")
    if not np.all(np.isfinite(numbers)):
        raise Refused(f"{what}: {numbers.tolist()} holds nan or inf: all numbers must be finite")
    if np.abs(numbers).max() > LARGEST:
        raise Refused(f"{what}: {numbers.tolist()} is too large: stay within {LARGEST:g}")
    return numbers
