"""Moves that cannot be done are refused, with the joint, the number and the place."""

import math
from dataclasses import replace

import numpy as np
import pytest
from planning_arms import HOME, gantry, scara, six_axis_arm, turned, vector

from twincell.sim.plan import Refused, plan_joint, plan_joint_to_pose, plan_linear, plan_via

ARM = six_axis_arm()
UPRIGHT = [1, 0, 0, 0]
P, R = ARM.forward(HOME)


def refusal(plan, *arguments, **named) -> str:
    with pytest.raises(Refused) as caught:
        plan(*arguments, **named)
    return str(caught.value)


def test_a_target_beyond_a_limit_names_joint_value_and_limit():
    text = refusal(plan_joint, ARM, HOME, [3.0, 0, 0, 0, 0, 0])
    assert text == "target: joint_1 at 171.8873° is beyond its upper limit of 170.0023°"
    text = refusal(plan_joint, gantry(), [0, 0, 0], [0, 0, -0.25])
    assert text == "target: Z at -0.25 m is beyond its lower limit of 0 m"


def test_a_start_beyond_a_limit_is_refused():
    assert "start: joint_2 at 114.5916°" in refusal(plan_joint, ARM, [0, 2, 0, 0, 0, 0], HOME)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ([0, 0, 0], "target: 3 numbers [0.0, 0.0, 0.0]; Arm has 6 joints"),
        ([], "target: 0 numbers []; Arm has 6 joints"),
        ([[0] * 6], "target: 6 numbers [[0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]; Arm has 6 joints"),
        ([0, 0, math.nan, 0, 0, 0], "holds nan or inf: all numbers must be finite"),
        ([0, 0, math.inf, 0, 0, 0], "holds nan or inf: all numbers must be finite"),
        ("home", "target: 'home' is not a list of numbers; Arm has 6 joints"),
        ([0, None, "x", 0, 0, 0], "is not a list of numbers; Arm has 6 joints"),
    ],
)
def test_a_target_that_is_not_six_numbers_is_refused(target, words):
    assert words in refusal(plan_joint, ARM, HOME, target)


@pytest.mark.parametrize(
    ("position", "quaternion", "words"),
    [
        ([1, 2], UPRIGHT, "target, position: 2 numbers [1.0, 2.0]; a position has 3, in metres"),
        ([1, 2, math.nan], UPRIGHT, "target, position: [1.0, 2.0, nan] holds nan or inf"),
        (P, [1, 0, 0], "target, quaternion: 3 numbers [1.0, 0.0, 0.0]; a quaternion has 4"),
        (P, [1, 1, 0, 0], "[1.0, 1.0, 0.0, 0.0] has the length 1.414214: it must be 1"),
        (P, [0, 0, 0, 0], "has the length 0: it must be 1"),
    ],
)
def test_a_pose_that_is_none_is_refused(position, quaternion, words):
    assert words in refusal(plan_linear, ARM, HOME, position, quaternion, 1.0, 1.0)
    assert words in refusal(plan_joint_to_pose, ARM, HOME, position, quaternion)


@pytest.mark.parametrize("share", [0, -1, 1.1, math.nan, math.inf])
@pytest.mark.parametrize("name", ["speed", "acceleration", "jerk"])
def test_shares_of_limits_are_neither_nothing_nor_more_than_all(name, share):
    text = refusal(plan_joint, ARM, HOME, HOME + 0.1, **{name: share})
    assert text.startswith(f"{name} is {share:g}: it is a share of the joints' limits")
    assert text.endswith("at least 1e-06 and at most 1")


@pytest.mark.parametrize("speed", [0, -1, math.nan])
def test_the_tool_must_be_allowed_to_move(speed):
    assert f"speed_m_s is {speed:g}" in refusal(plan_linear, ARM, HOME, P, R, speed, 1.0)
    assert f"speed_rad_s is {speed:g}" in refusal(plan_linear, ARM, HOME, P, R, 1.0, speed)


@pytest.mark.parametrize("blend", [-0.1, math.nan, math.inf])
def test_a_blend_is_a_distance(blend):
    points = [(P, R, 0.1), (P + 0.1, R, blend)]
    text = refusal(plan_via, ARM, HOME, points, 1.0, 1.0)
    assert text == f"point 2: blend_m is {blend:g}: it must be 0 or more, in metres"


def test_a_pose_out_of_reach_is_refused_where_the_arm_ends():
    text = refusal(plan_linear, ARM, HOME, [3, 0, 1], R, 1.0, 1.0)
    assert "% along the path, at [" in text
    assert text.endswith("Arm cannot be there: out of reach")
    text = refusal(plan_joint_to_pose, ARM, HOME, [3, 0, 1], R)
    assert text == "target: Arm cannot be there: out of reach"


def test_what_a_robot_with_few_joints_cannot_do_is_refused():
    tilted = turned(UPRIGHT, [0.1, 0, 0])
    assert "it cannot turn its tool" in refusal(
        plan_linear, gantry(), [0, 0, 0], [1, 0, 0], tilted, 1.0, 1.0
    )
    assert "it cannot tilt its tool" in refusal(
        plan_linear, scara(), [0, 1, 0.1, 0], [0.5, 0.2, 0], tilted, 1.0, 1.0
    )


def test_a_line_close_to_a_stretched_wrist_is_refused():
    passing = np.array([0, 0.3, 0.3, 0.3, 0.01, -0.3])  # joint 5 at 0.6°: joints 4 and 6 in line
    p, r = ARM.forward(passing)
    start = ARM.inverse(passing, p - vector(0, 0, 0.15), r)
    text = refusal(plan_linear, ARM, start, p + vector(0, 0, 0.15), r, 1.0, 1.0)
    assert "Arm passes a singularity or jumps to another posture" in text
    assert "joint_4 would move by" in text or "joint_6 would move by" in text


def test_a_jump_to_another_posture_is_refused_where_it_happens():
    robot = scara(elbow=lambda position: 1 if position[1] < 0.1 else -1)
    start = np.array([-0.6, 1.4, 0.1, 0.0])
    p, r = robot.forward(start)
    text = refusal(plan_linear, robot, start, [p[0], 0.5, 0.1], r, 1.0, 1.0)
    assert "jumps to another posture" in text
    assert "Scara" in text


def test_a_path_that_leaves_a_limit_between_its_ends_is_refused():
    # past the shoulder, from one side to the other: half-way the elbow bends most
    robot = replace(scara(), upper=np.array([2.5, 1.4, 0.3, 6.0]))
    start = np.array([-1.0, 1.2, 0.1, 0.0])
    p, r = robot.forward(start)
    text = refusal(plan_linear, robot, start, p * [1, -1, 1], r, 1.0, 1.0)
    assert text.startswith("50 % along the path, at [0.6622, 0.0000, 0.1000] m: elbow at 85.")
    assert text.endswith("is beyond its upper limit of 80.21409°")


def test_planning_leaves_what_it_is_given_as_it_was():
    start, target = HOME.copy(), HOME + 0.1
    plan = plan_joint(ARM, start, target)
    plan.pieces[:] = 0
    assert start.tolist() == HOME.tolist()
    assert target.tolist() == (HOME + 0.1).tolist()
