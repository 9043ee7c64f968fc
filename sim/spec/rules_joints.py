"""Rules within a joint: stops with room between them, a start there, a screw that advances."""

from typing import Any

from twincell.sim.mechanics.joints import joint_type
from twincell.sim.spec.draft import Draft
from twincell.sim.spec.joint import MovingJoint
from twincell.sim.spec.joint_keys import file_unit
from twincell.sim.spec.problems import Problems, number

LEAST_SIZE_M = 1e-9  # as of every length: see `rules_sizes.py`


def check_joints(draft: Draft, problems: Problems) -> None:
    """The numbers of each joint go together."""
    for name, joint in draft.cell.joint.items():
        if isinstance(joint, MovingJoint):
            _check_limits(f"joint.{name}", joint, problems)
            check_motion(f"joint.{name}", joint, problems)


def _check_limits(key: str, joint: MovingJoint, problems: Problems) -> None:
    """Its stops leave room between them, and it starts there."""
    unit = file_unit(joint.type)
    lower, upper = getattr(joint, f"lower_{unit}"), getattr(joint, f"upper_{unit}")
    start = getattr(joint, f"start_{unit}")
    if lower is not None and upper is not None and lower >= upper:
        problems.add(
            f"{key}.lower_{unit}",
            f"{number(lower)} is not below upper_{unit}, {number(upper)}",
            hint="the lower stop must be the smaller number",
        )
    elif lower is not None and start < lower:
        problems.add(
            f"{key}.start_{unit}",
            f"the start, {number(start)}, is below lower_{unit}, {number(lower)}",
            hint="start between the stops",
        )
    elif upper is not None and start > upper:
        problems.add(
            f"{key}.start_{unit}",
            f"the start, {number(start)}, is above upper_{unit}, {number(upper)}",
            hint="start between the stops",
        )


def check_motion(key: str, joint: Any, problems: Problems) -> None:
    """What the motion of a joint's type depends on is not nothing; in cell and model files."""
    own = joint_type(joint.type)
    for size in own.sizes:
        value = getattr(joint, size)
        if abs(value) < LEAST_SIZE_M:
            problems.add(
                f"{key}.{size}",
                f"{number(value)} is nothing: it would not be a {own.word}",
                hint=f"give at least {number(LEAST_SIZE_M)}, of either sign; {own.without_size}",
            )
