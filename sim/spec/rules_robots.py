"""What a cell says about a robot must fit its model: numbers for each joint, starts, the tip.

A list has one number a joint in degrees or one a joint in metres, from the root outwards: hinges
and screws, or slides. Models are in radians, cell files in degrees.
"""

from collections.abc import Sequence
from math import isinf

from twincell.sim.mechanics.joint_type import FileUnit
from twincell.sim.mechanics.joints import JOINTS, joint_type
from twincell.sim.spec.draft import Draft
from twincell.sim.spec.joint_keys import ROBOT_KEYS, SERVO_KEYS, from_si
from twincell.sim.spec.problems import Problems, did_you_mean, number
from twincell.sim.spec.robot import Robot
from twincell.sim.spec.robot_model import ModelJoint, RobotModel

LIMIT_SLACK = 1e-9  # [deg, m]: chosen, above the rounding of degrees to radians and back
PERIODS_IN_TIME = 2  # chosen: one that is late by a period is not lost


def check_robots(draft: Draft, problems: Problems) -> None:
    """Each robot's keys fit the joints and links of its model."""
    for name, robot in draft.cell.robot.items():
        _check_stream(f"robot.{name}", robot, problems)
        if model := draft.cell.robot_models.get(name):
            _check_lists(name, robot, model, problems)
            _check_start(name, robot, model, problems)
            _check_tip(f"robot.{name}", robot, model, problems)


def _check_stream(key: str, robot: Robot, problems: Problems) -> None:
    """A stream whose set points come in time is not called lost."""
    least = PERIODS_IN_TIME * robot.set_point_period_s
    if robot.watchdog_s < least:
        problems.add(
            f"{key}.watchdog_s",
            f"{number(robot.watchdog_s)} s is less than {PERIODS_IN_TIME} set point periods of"
            f" {number(robot.set_point_period_s)} s",
            hint=f"give at least {number(least)}, or shorten set_point_period_s",
        )


def axes_of(model: RobotModel, unit: FileUnit) -> list[ModelJoint]:
    """The joints of a robot whose positions are angles (deg) or lengths (m)."""
    return [joint for joint in model.axes if joint.file_unit == unit]


def _check_lists(name: str, robot: Robot, model: RobotModel, problems: Problems) -> None:
    key, servo = f"robot.{name}", robot.servo
    for unit in ROBOT_KEYS:
        given = {f"{key}.{part}": getattr(robot, part) for part in ROBOT_KEYS[unit].values()}
        for part in SERVO_KEYS[unit].values():
            given[f"{key}.servo.{part}"] = getattr(servo, part)
        for list_key, values in given.items():
            if values is not None:
                check_count(list_key, values, name, axes_of(model, unit), unit, problems)


def check_count(
    key: str,
    values: Sequence[float],
    robot: str,
    axes: Sequence[ModelJoint],
    unit: FileUnit,
    problems: Problems,
) -> bool:
    """Whether a list has one number a joint; if not, that is noted."""
    if not axes:
        words = _words([joint.type for joint in JOINTS], unit)
        problems.add(key, f"{robot} has no {words}", hint="remove it")
    elif len(values) != len(axes):
        numbers = "1 number" if len(values) == 1 else f"{len(values)} numbers"
        words = _words([axis.type for axis in axes], unit)
        words = words.removesuffix("s") if len(axes) == 1 else words
        problems.add(
            key,
            f"has {numbers}, but {robot} has {len(axes)} {words}",
            hint=f"give one number each for {', '.join(axis.name for axis in axes)}",
        )
    return len(values) == len(axes) > 0


def _words(types: Sequence[str], unit: FileUnit) -> str:
    """What a person calls joints of these types that have their positions in this unit."""
    found = [joint_type(one) for one in dict.fromkeys(types)]
    return " and ".join(f"{one.word}s" for one in found if one.coordinate.file_unit == unit)


def check_within(
    key: str,
    values: Sequence[float],
    axes: Sequence[ModelJoint],
    unit: FileUnit,
    verb: str,
    problems: Problems,
) -> None:
    """Note each joint that would be beyond its limits."""
    for value, axis in zip(values, axes, strict=True):
        lower, upper = _limits(axis, unit)
        if lower - LIMIT_SLACK <= value <= upper + LIMIT_SLACK:
            continue
        side, limit = ("below", lower) if value < lower else ("above", upper)
        problems.add(
            key,
            f"{axis.name} {verb} {number(value)} {unit}, {side} its limit of {_rounded(limit)}",
            hint=f"stay {_range(lower, upper)}",
        )


def _limits(axis: ModelJoint, unit: FileUnit) -> tuple[float, float]:
    return from_si(f"lower_{unit}", axis.lower), from_si(f"upper_{unit}", axis.upper)


def _range(lower: float, upper: float) -> str:
    if isinf(upper):
        return f"above {_rounded(lower)}"
    if isinf(lower):
        return f"below {_rounded(upper)}"
    return f"between {_rounded(lower)} and {_rounded(upper)}"


def _rounded(limit: float) -> str:
    """Enough digits to know the limit, without those that come from radians."""
    return number(round(limit, 4))


def _check_start(name: str, robot: Robot, model: RobotModel, problems: Problems) -> None:
    starts: dict[FileUnit, list[float] | None] = {"deg": robot.start_deg, "m": robot.start_m}
    for unit, given in starts.items():
        axes = axes_of(model, unit)
        values = [0.0] * len(axes) if given is None else given
        if len(values) == len(axes):  # a wrong number of them is told already
            check_within(f"robot.{name}.start_{unit}", values, axes, unit, "starts at", problems)


def _check_tip(key: str, robot: Robot, model: RobotModel, problems: Problems) -> None:
    ends = model.ends
    if robot.tip is None and len(ends) > 1:
        problems.add(
            key,
            f"has several ends: {', '.join(ends)}",
            hint=f'name the link that carries the tool centre point: tip = "{ends[-1]}"',
        )
        return
    tip = robot.tip or ends[-1]
    if tip not in model.links:
        text = f"the robot has no link called {tip}"
        problems.add(f"{key}.tip", text, hint=did_you_mean(tip, model.links))
    elif not model.moves(tip):
        text = f"{tip} does not move: there is no joint with a drive between {model.root} and it"
        problems.add(f"{key}.tip", text, hint="name a link that the robot moves")
