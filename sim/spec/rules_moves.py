"""Moves of the timeline: a robot gets one at a time, with a target that its joints can have."""

from twincell.sim.mechanics.joint_type import FileUnit
from twincell.sim.spec.cell import TimelineEntry
from twincell.sim.spec.draft import Draft
from twincell.sim.spec.problems import Problems, key_of, number
from twincell.sim.spec.robot import MoveJoint
from twincell.sim.spec.robot_model import RobotModel
from twincell.sim.spec.rules_names import MOVES
from twincell.sim.spec.rules_robots import axes_of, check_count, check_within
from twincell.sim.spec.rules_timeline import tick_of


def check_moves(draft: Draft, problems: Problems) -> None:
    """Each move of the timeline has one clear target."""
    taken: dict[tuple[float, str], str] = {}
    for place, entry in draft.timeline.items():
        for kind in MOVES:
            for robot in getattr(entry, kind):
                key = key_of(["timeline", place, kind, robot])
                first = taken.setdefault((tick_of(entry.at_s, draft), robot), key)
                if first != key:
                    hint = f"remove it here or in {problems.source.place(first)}"
                    text = f"{robot} gets a move at {number(entry.at_s)} s already"
                    problems.add(key, text, hint)
        _check_joint_moves(place, entry, draft, problems)


def _check_joint_moves(place: int, entry: TimelineEntry, draft: Draft, problems: Problems) -> None:
    for robot, move in entry.move_joint.items():
        key = key_of(["timeline", place, "move_joint", robot])
        _check_target(key, move, problems)
        model = draft.cell.robot_models.get(robot)
        if model and (move.joints_deg is not None or move.joints_m is not None):
            _check_joints(key, robot, move, model, problems)


def _check_target(key: str, move: MoveJoint, problems: Problems) -> None:
    """Joint positions or a pose: one of them."""
    joints = [part for part in ("joints_deg", "joints_m") if part in move.model_fields_set]
    if move.position_m is not None and joints:
        text = "the move has joint positions already: it cannot reach a pose too"
        problems.add(f"{key}.position_m", text, hint=f"keep position_m or {' and '.join(joints)}")
    elif move.position_m is None and "orientation_deg" in move.model_fields_set:
        text = "an orientation needs a position"
        problems.add(f"{key}.orientation_deg", text, hint="give position_m too, or remove it")
    elif move.position_m is None and not joints:
        hint = "give joints_deg for hinges and joints_m for slides, or position_m for a pose"
        problems.add(key, "the move has no target", hint)


def _check_joints(
    key: str, robot: str, move: MoveJoint, model: RobotModel, problems: Problems
) -> None:
    """All joints get a position, and within their limits."""
    targets: dict[FileUnit, list[float] | None] = {"deg": move.joints_deg, "m": move.joints_m}
    for unit, values in targets.items():
        axes, list_key = axes_of(model, unit), f"{key}.joints_{unit}"
        if values is None and axes:
            hint = f"give one number each for {', '.join(axis.name for axis in axes)}"
            problems.add(list_key, "is missing: a move gives all joints a position", hint)
        elif values is not None and check_count(list_key, values, robot, axes, unit, problems):
            check_within(list_key, values, axes, unit, "would go to", problems)
