"""Planned moves: a path through joint positions, and how fast to go along it."""

from twincell.sim.plan.arm import Arm
from twincell.sim.plan.moves import plan_joint, plan_joint_to_pose, plan_linear, plan_via
from twincell.sim.plan.plan import Plan, Refused, sample

__all__ = [
    "Arm",
    "Plan",
    "Refused",
    "plan_joint",
    "plan_joint_to_pose",
    "plan_linear",
    "plan_via",
    "sample",
]
