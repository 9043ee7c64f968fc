"""Gains of servo drives: as the cell file gives them, or from the inertia that each joint feels.

    K = (2π f)² I        D = 2 ζ (2π f) I        K_i = K / T        f: bandwidth, ζ: damping ratio

I is the greatest inertia that the joint feels, all others held, in any position looked at: so the
bandwidth is the least that the joint has, wherever the robot stands.
"""

import math

import numpy as np

from twincell.sim.build.joint_response import TreeOfJoints
from twincell.sim.build.robots import AxisPlace, listed
from twincell.sim.model import NONE, Axes, Floats
from twincell.sim.spec.cell import CellSpec
from twincell.sim.spec.joint_keys import SERVO_KEYS
from twincell.sim.spec.robot import Servo


def given_gains(spec: CellSpec, places: list[AxisPlace], axes: Axes) -> Axes:
    """The gains that the cell file gives; NaN where it leaves the choice to us."""
    stiffness, damping = axes.stiffness.copy(), axes.damping.copy()
    for k, place in enumerate(places):
        servo = spec.robot[place.robot].servo
        if axes.ideal[k]:
            continue
        given = listed(place, servo, SERVO_KEYS, "stiffness")
        stiffness[k] = math.nan if given is None else given
        given = listed(place, servo, SERVO_KEYS, "damping")
        damping[k] = math.nan if given is None else given
    return axes._replace(stiffness=stiffness, damping=damping)


def fill_gains(
    axes: Axes, servos: list[Servo], tree: TreeOfJoints, responses: list[Floats]
) -> Axes:
    """Fill in the gains of a tree's axes that the cell file leaves open."""
    masses = [np.linalg.inv(response) for response in responses]
    felt = np.max([np.diag(mass) for mass in masses], axis=0)
    axis_of = {int(joint): axis for axis, joint in enumerate(axes.joint)}
    stiffness, damping, integral = axes.stiffness.copy(), axes.damping.copy(), axes.integral.copy()
    for joint, inertia in zip(tree.joints, felt, strict=True):
        axis = axis_of.get(joint, NONE)
        if axis == NONE:
            continue
        servo = servos[axis]
        rate = 2 * math.pi * servo.bandwidth_hz
        if np.isnan(stiffness[axis]):
            stiffness[axis] = rate**2 * inertia
        if np.isnan(damping[axis]):
            # critical for the stiffness that is there, given or chosen
            damping[axis] = 2 * servo.damping_ratio * math.sqrt(stiffness[axis] * inertia)
        if servo.integral_s is not None:
            integral[axis] = stiffness[axis] / servo.integral_s
    return axes._replace(stiffness=stiffness, damping=damping, integral=integral)
