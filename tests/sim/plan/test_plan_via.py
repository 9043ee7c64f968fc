"""Moves past points: straight lines, smooth corners, no stop before the end."""

import numpy as np
import pytest
from planning_arms import HOME, angle_between, gantry, jerks, sampled, six_axis_arm, turned, vector

from twincell.sim.plan import Refused, plan_via
from twincell.sim.plan.asked import Point
from twincell.sim.plan.route import route_past
from twincell.sim.pose import rotation_vector

ARM = six_axis_arm()
UPRIGHT = [1, 0, 0, 0]
ROUNDING = 1e-9  # relative: values are sums of a few products


def around_a_square(blend_m):
    p, r = ARM.forward(HOME)
    return [
        (p + vector(0, 0.2, 0), turned(r, [0.2, 0, 0]), blend_m),
        (p + vector(0, 0.2, 0.2), turned(r, [0.2, 0.3, 0]), blend_m),
        (p + vector(0.1, 0, 0.2), r, blend_m),
    ]


def test_corners_are_passed_within_their_blend_without_a_stop():
    points = around_a_square(0.05)
    plan = plan_via(ARM, HOME, points, 0.25, 2.0)
    times, q, qd, qdd = sampled(plan)
    places = np.array([ARM.forward(a)[0] for a in q])
    for position, _, blend in points[:-1]:
        nearest = np.linalg.norm(places - position, axis=1).min()
        assert 1e-3 < nearest < 3 / 8 * blend

    inside = slice(100, -100)  # without the ramps at start and end
    speeds = [np.linalg.norm((ARM.jacobian(a) @ b)[:3]) for a, b in zip(q, qd, strict=True)]
    assert min(speeds[inside]) > 0.01
    assert max(speeds) <= 0.25 * (1 + 1e-3)  # 1e-6 m of path on pieces of 1 cm

    assert np.all(np.abs(qd) <= ARM.velocity * (1 + ROUNDING))
    assert np.all(np.abs(qdd) <= ARM.acceleration * (1 + ROUNDING))
    assert np.all(np.abs(jerks(plan, times)) <= ARM.jerk * (1 + ROUNDING))

    assert places[-1] == pytest.approx(points[-1][0], abs=1e-9)  # of the inverse kinematics
    assert angle_between(ARM.forward(q[-1])[1], points[-1][1]) < 1e-9
    assert not qd[-1].any()


def test_outside_the_blends_the_tool_is_on_the_lines():
    p, _ = ARM.forward(HOME)
    plan = plan_via(ARM, HOME, around_a_square(0.05), 0.25, 2.0)
    places = np.array([ARM.forward(a)[0] for a in sampled(plan)[1]]) - p
    on_first = places[(places[:, 1] < 0.149) & (places[:, 2] < 0.01)]
    assert len(on_first) > 10
    assert np.abs(on_first[:, [0, 2]]).max() < 1e-6  # to which a path is held


def test_velocities_and_accelerations_have_no_jump():
    plan = plan_via(ARM, HOME, around_a_square(0.05), 0.25, 2.0)
    times, q, qd, qdd = sampled(plan, 20001)
    step = times[1]
    # between two samples a value changes by at most its rate times the step
    assert np.all(np.abs(np.diff(q, axis=0)) <= ARM.velocity * step * (1 + 1e-6))
    assert np.all(np.abs(np.diff(qd, axis=0)) <= ARM.acceleration * step * (1 + 1e-6))
    assert np.all(np.abs(np.diff(qdd, axis=0)) <= ARM.jerk * step * (1 + 1e-6))


def route(*points):
    return route_past(
        Point(np.zeros(3), np.array([1.0, 0, 0, 0]), 0),
        [Point(np.array(p, dtype=float), turned(UPRIGHT, turn), b) for p, turn, b in points],
    )


def test_corners_join_their_lines_in_position_and_turn_with_equal_slope_and_no_bend():
    way = route(([1, 0, 0], [0, 0, 0.4], 0.2), ([1, 2, 0], [0.5, 0, 0.4], 0.1))
    assert [span.begin for span in way.spans] == pytest.approx([0, 0.8, 1.2])
    h = 1e-4
    for join in (0.8, 1.2):
        # positions as they are, orientations relative to that at the join
        at = way.pose(join)[1]
        m = np.array(
            [
                np.concatenate([way.pose(s)[0], rotation_vector(way.pose(s)[1] @ at.T)])
                for s in join + h * np.arange(-2, 3)
            ]
        )
        before, after = (m[2] - m[1]) / h, (m[3] - m[2]) / h
        assert before == pytest.approx(after, abs=1e-6)  # m'' is 0, m''' h² is 1e-6
        bend = (m[1] - 2 * m[2] + m[3]) / h**2
        assert bend == pytest.approx(np.zeros(6), abs=1e-1)  # m''' h/6 is 2e-3, a kink would be 1e4


def test_a_blend_takes_at_most_half_of_either_line():
    way = route(([1, 0, 0], [0] * 3, 5.0), ([1, 0.4, 0], [0] * 3, 5.0), ([2, 0.4, 0], [0] * 3, 0))
    ends = [(span.begin, span.end) for span in way.spans]
    assert ends == [pytest.approx(e) for e in [(0, 0.8), (0.8, 1.2), (1.2, 1.6), (1.6, 2.4)]]


def test_the_last_point_is_reached_whatever_its_blend():
    plan = plan_via(gantry(), [0, 0, 0], [([1, 0, 0], UPRIGHT, 0.5)], 1.0, 1.0)
    assert sampled(plan, 2)[1][-1] == pytest.approx([1, 0, 0], abs=1e-12)


def test_a_point_on_a_straight_line_needs_no_blend():
    points = [([0.5, 0, 0], UPRIGHT, 0.0), ([1, 0, 0], UPRIGHT, 0.0)]
    plan = plan_via(gantry(), [0, 0, 0], points, 10.0, 1.0)
    _, _, qd, _ = sampled(plan, 101)
    assert qd[50, 0] == pytest.approx(1.0, rel=1e-6)  # at the limit of the slide, in the middle


def test_a_corner_without_a_blend_is_refused():
    points = [([0.5, 0, 0], UPRIGHT, 0.0), ([0.5, 0.5, 0], UPRIGHT, 0.0)]
    with pytest.raises(
        Refused, match="without a blend cannot be passed without stopping"
    ) as caught:
        plan_via(gantry(), [0, 0, 0], points, 1.0, 1.0)
    assert "[0.5000, 0.0000, 0.0000] m" in str(caught.value)


def test_a_turn_on_the_spot_within_a_move_is_refused():
    p, r = ARM.forward(HOME)
    there = p + vector(0, 0.1, 0)
    points = [(there, r, 0.02), (there, turned(r, [0.5, 0, 0]), 0.02)]
    with pytest.raises(Refused, match=r"a turn of 28.65° on the spot cannot be passed"):
        plan_via(ARM, HOME, points, 1.0, 1.0)


def test_a_point_given_twice_is_passed_once():
    once = [([0.5, 0, 0], UPRIGHT, 0.1), ([0.5, 0.5, 0], UPRIGHT, 0.0)]
    plan = plan_via(gantry(), [0, 0, 0], [once[0], once[0], once[1]], 1.0, 1.0)
    assert plan.law.tolist() == plan_via(gantry(), [0, 0, 0], once, 1.0, 1.0).law.tolist()


def test_a_move_past_no_points_is_refused():
    with pytest.raises(Refused, match="a list of at least one point"):
        plan_via(gantry(), [0, 0, 0], [], 1.0, 1.0)


def test_a_move_past_too_many_points_is_refused():
    points = [([0.01 * i, 0.01 * (i % 2), 0], UPRIGHT, 0.001) for i in range(1, 80)]
    with pytest.raises(Refused, match="at most 128 pieces, 157 lines and corners need more"):
        plan_via(gantry(), [0, 0, 0], points, 1.0, 1.0)
