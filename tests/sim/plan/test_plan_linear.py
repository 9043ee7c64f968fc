"""Linear moves: the TCP on a straight line, turning about one axis, within all limits."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from planning_arms import (
    HOME,
    angle_between,
    gantry,
    jerks,
    sampled,
    scara,
    six_axis_arm,
    turned,
    vector,
)

from twincell.sim.plan import Refused, plan_linear
from twincell.sim.state import MOST_LAW, MOST_PIECES

ARM = six_axis_arm()
ROUNDING = 1e-9  # relative: values are sums of a few products
HELD = 1e-6  # [m] and [rad] to which a path keeps its way


def off_the_line(arm, plan, target, count=301):
    """Greatest distance from the straight line and from the turn about one axis."""
    _, q, _, _ = sampled(plan, count)
    (p0, r0), (p1, r1) = arm.forward(q[0]), target
    way, full_turn = p1 - p0, angle_between(r1, r0)
    distances, turns = [], []
    for joints in q:
        p, r = arm.forward(joints)
        share = (p - p0) @ way / (way @ way)
        distances.append(np.linalg.norm(p - p0 - share * way))
        turns.append(abs(angle_between(r, r0) + angle_between(r1, r) - full_turn))
    return max(distances), max(turns)


@settings(max_examples=25, deadline=None)
@given(
    bend=st.tuples(*[st.floats(-0.4, 0.4)] * 6),
    way=st.tuples(*[st.floats(-0.3, 0.3)] * 3),
    turn=st.tuples(*[st.floats(-0.5, 0.5)] * 3),
    share=st.floats(0.1, 1.0),
)
def test_a_linear_move_is_straight_keeps_all_limits_and_ends_at_rest(bend, way, turn, share):
    start = HOME + bend
    p, r = ARM.forward(start)
    target = p + way, turned(r, turn)
    assume(np.linalg.norm(way) > 1e-3)
    try:
        plan = plan_linear(ARM, start, *target, 0.5, 2.0, share, share, share)
    except Refused:
        assume(False)
    assert plan.pieces.shape[1] <= MOST_PIECES
    assert len(plan.law) <= MOST_LAW

    times, q, qd, qdd = sampled(plan, 301)
    slack = 1 + ROUNDING
    assert np.all(np.abs(qd) <= share * ARM.velocity * slack)
    assert np.all(np.abs(qdd) <= share * ARM.acceleration * slack)
    assert np.all(np.abs(jerks(plan, times)) <= share * ARM.jerk * slack)

    distance, angle = off_the_line(ARM, plan, target)
    assert distance < HELD
    assert angle < 2 * HELD  # the sum of two angles
    assert q[0] == pytest.approx(start, abs=0)
    p_end, r_end = ARM.forward(q[-1])
    assert p_end == pytest.approx(target[0], abs=1e-9)  # of the inverse kinematics
    assert angle_between(r_end, target[1]) < 1e-9
    assert not qd[-1].any()
    assert not qdd[-1].any()


def test_the_tool_travels_at_the_speed_asked_for():
    p, r = ARM.forward(HOME)
    plan = plan_linear(ARM, HOME, p + vector(0, 0.3, 0), r, 0.1, 1.0)
    _, q, qd, _ = sampled(plan)
    speeds = [np.linalg.norm((ARM.jacobian(a) @ b)[:3]) for a, b in zip(q, qd, strict=True)]
    assert max(speeds) == pytest.approx(0.1, rel=1e-3)  # 1e-6 m of path on pieces of 2 cm


def test_the_tool_turns_on_the_spot_at_the_speed_asked_for():
    p, r = ARM.forward(HOME)
    plan = plan_linear(ARM, HOME, p, turned(r, [0, 0.8, 0]), 1.0, 0.2)
    _, q, qd, _ = sampled(plan)
    turning = [np.linalg.norm((ARM.jacobian(a) @ b)[3:]) for a, b in zip(q, qd, strict=True)]
    assert max(turning) == pytest.approx(0.2, rel=1e-3)  # 1e-6 rad of path on pieces of 0.05 rad
    assert max(np.linalg.norm(ARM.forward(a)[0] - p) for a in q) < HELD


def test_a_turn_of_more_than_half_goes_the_short_way():
    p, r = ARM.forward(HOME)
    target = turned(r, [0, 0, 2 * np.pi - 0.3])
    plan = plan_linear(ARM, HOME, p, -target, 1.0, 1.0)  # q and -q are the same orientation
    _, q, _, _ = sampled(plan, 101)
    assert max(angle_between(ARM.forward(a)[1], r) for a in q) == pytest.approx(0.3, abs=HELD)


@pytest.mark.parametrize("way", [1e-8, 1e-6, 1e-4])
def test_a_tiny_linear_move_takes_no_longer_than_it_must(way):
    p, r = ARM.forward(HOME)
    plan = plan_linear(ARM, HOME, p + vector(way, 0, 0), r, 0.25, 1.0)
    # 40 times the speed limit per s³ of jerk, and joints turn about as many rad as metres
    assert plan.law[-1, 0] < 10 * np.cbrt(way / ARM.jerk.min())
    end = ARM.forward(sampled(plan, 2)[1][-1])[0]
    assert end == pytest.approx(p + vector(way, 0, 0), abs=1e-9)  # of the inverse kinematics


def test_a_linear_move_to_where_the_tool_is_is_over_at_once():
    plan = plan_linear(ARM, HOME, *ARM.forward(HOME), 0.1, 1.0)
    assert plan.law.tolist() == [[0, plan.knots[-1], 0, 0, 0]]


def test_pieces_meet_with_equal_position_slope_and_bend():
    p, r = ARM.forward(HOME)
    plan = plan_linear(ARM, HOME, p + vector(0.2, -0.3, 0.1), turned(r, [0.3, 0, 0.5]), 1.0, 1.0)
    x = np.diff(plan.knots)[:-1]
    c0, c1, c2, c3 = np.moveaxis(plan.pieces[:, :-1], -1, 0)
    following = plan.pieces[:, 1:]
    assert c0 + c1 * x + c2 * x**2 + c3 * x**3 == pytest.approx(following[..., 0], abs=1e-12)
    assert c1 + 2 * c2 * x + 3 * c3 * x**2 == pytest.approx(following[..., 1], abs=1e-10)
    # a second derivative of values rounded to 1e-16 over pieces of 0.02
    assert c2 + 3 * c3 * x == pytest.approx(following[..., 2], abs=1e-9)


def test_a_gantry_moves_straight_at_the_limit_of_one_slide():
    rail = gantry()
    plan = plan_linear(rail, [-1, -0.5, 0.2], [1, 0.5, 0.7], [1, 0, 0, 0], 10.0, 1.0)
    _, q, qd, _ = sampled(plan)
    assert qd[:, 0].max() == pytest.approx(1.0, rel=1e-6)  # spline of a straight line
    assert off_the_line(rail, plan, ([1, 0.5, 0.7], np.array([1, 0, 0, 0])))[0] < HELD
    assert q[-1] == pytest.approx([1, 0.5, 0.7], abs=1e-12)


def test_a_scara_moves_straight_and_turns_its_tool():
    robot = scara()
    start = np.array([-0.6, 1.4, 0.1, 0.0])
    p, r = robot.forward(start)
    target = p + vector(-0.1, 0.4, 0.15), turned(r, [0, 0, 1.0])
    plan = plan_linear(robot, start, *target, 0.5, 5.0)
    distance, angle = off_the_line(robot, plan, target)
    assert distance < HELD
    assert angle < 2 * HELD


def test_a_stretched_wrist_may_move_in_the_plane_of_the_arm():
    start = np.array([0, 0, 0.5, 0, 0, 0])  # joints 4 and 6 in line: singular
    p, r = ARM.forward(start)
    plan = plan_linear(ARM, start, p - vector(0, 0, 0.3), r, 0.25, 1.0)
    assert off_the_line(ARM, plan, (p - vector(0, 0, 0.3), r))[0] < HELD
