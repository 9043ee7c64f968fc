"""Joint moves: straight in joint space, as fast as the slowest joint allows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planning_arms import HOME, angle_between, gantry, jerks, sampled, six_axis_arm

from twincell.sim.plan import plan_joint, plan_joint_to_pose, sample

ARM = six_axis_arm()
ROUNDING = 1e-9  # relative: values are sums of a few products

anywhere = st.tuples(
    *(st.floats(low, high) for low, high in zip(ARM.lower, ARM.upper, strict=True))
)
share = st.floats(0.01, 1.0)


@settings(deadline=None)
@given(start=anywhere, target=anywhere, speed=share, acceleration=share, jerk=share)
def test_a_joint_move_keeps_all_limits_and_ends_at_rest_at_its_target(
    start, target, speed, acceleration, jerk
):
    plan = plan_joint(ARM, start, target, speed, acceleration, jerk)
    times, q, qd, qdd = sampled(plan, 301)
    slack = 1 + ROUNDING
    assert np.all(np.abs(qd) <= speed * ARM.velocity * slack)
    assert np.all(np.abs(qdd) <= acceleration * ARM.acceleration * slack)
    assert np.all(np.abs(jerks(plan, times)) <= jerk * ARM.jerk * slack)
    assert np.all((ARM.lower - ROUNDING <= q) & (q <= ARM.upper + ROUNDING))

    assert q[0] == pytest.approx(start, abs=0)
    assert q[-1] == pytest.approx(target, abs=1e-12)  # less is no move
    assert not qd[[0, -1]].any()
    assert not qdd[-1].any()


def test_a_long_joint_move_runs_at_the_limit_of_its_slowest_joint():
    plan = plan_joint(ARM, np.zeros(6), [2.6, 0, 0, 0.1, 0, 0])
    _, _, qd, qdd = sampled(plan)
    assert qd[:, 0].max() == pytest.approx(ARM.velocity[0], rel=ROUNDING)
    assert qdd[:, 0].max() == pytest.approx(ARM.acceleration[0], rel=ROUNDING)


def test_all_joints_are_at_the_same_share_of_their_way():
    plan = plan_joint(ARM, np.zeros(6), HOME)
    _, q, _, _ = sampled(plan)
    shares = q / HOME
    assert np.ptp(shares, axis=1).max() < 1e-14  # one rounded division


def test_half_the_speed_takes_twice_as_long_on_a_long_way():
    rail = gantry()
    full = plan_joint(rail, [-2, 0, 0], [2, 0, 0])
    half = plan_joint(rail, [-2, 0, 0], [2, 0, 0], speed=0.5)
    # way / speed + time of one ramp, v/a + a/j
    assert full.law[-1, 0] == pytest.approx(4 / 1 + 1 / 3 + 3 / 30, rel=ROUNDING)
    assert half.law[-1, 0] == pytest.approx(4 / 0.5 + 0.5 / 3 + 3 / 30, rel=ROUNDING)


def test_a_joint_move_to_a_pose_ends_there():
    wanted = ARM.forward(HOME + 0.3)
    plan = plan_joint_to_pose(ARM, HOME, *wanted)
    p, q = ARM.forward(sample(plan, plan.law[-1, 0])[0])
    assert p == pytest.approx(wanted[0], abs=1e-9)  # of the inverse kinematics
    assert angle_between(q, wanted[1]) < 1e-9


def test_a_move_to_where_the_arm_is_is_over_at_once():
    plan = plan_joint(ARM, HOME, HOME)
    assert plan.law.tolist() == [[0, plan.knots[-1], 0, 0, 0]]
    q, qd, qdd = sample(plan, 1.0)
    assert q.tolist() == HOME.tolist()
    assert not qd.any()
    assert not qdd.any()


@pytest.mark.parametrize("way", [1e-11, 1e-6, 1e-3, 1e5, 1e9])
def test_tiny_and_huge_ways_are_planned_too(way):
    rail = gantry()
    rail.upper[:] = np.inf
    plan = plan_joint(rail, np.zeros(3), [way, 0, 0])
    _, q, qd, qdd = sampled(plan)
    assert q[-1, 0] == way
    assert qd[:, 0].max() <= rail.velocity[0] * (1 + ROUNDING)
    assert qdd[:, 0].max() <= rail.acceleration[0] * (1 + ROUNDING)


def test_before_and_after_a_move_the_arm_rests_at_its_ends():
    plan = plan_joint(ARM, np.zeros(6), HOME)
    assert sample(plan, -1.0)[0].tolist() == [0] * 6
    assert sample(plan, 1e3)[0] == pytest.approx(HOME, abs=1e-15)
    assert not sample(plan, 1e3)[1].any()
