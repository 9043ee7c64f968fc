"""Set points that a controller streams: joined smoothly, refused whole, held when they stop."""

import numpy as np
import pytest
from pytest import approx
from robot_cells import arm_cell, column, joints, send, send_tcp

PERIOD = 10  # ticks of a set point, as in the cell


def stream(cell, positions, count=0):
    """Send set points one a period; the rows of all that time."""
    rows = []
    for position in positions:
        count += 1
        send(cell, position, count)
        rows.append(cell.run(PERIOD))
    return np.concatenate(rows)


def test_a_stream_of_constant_speed_moves_at_that_speed():
    cell = arm_cell()
    start = joints_at_start(cell)
    way = np.array([0.004, 0, 0, 0, 0, 0])
    rows = stream(cell, [start + way * k for k in range(1, 16)])
    speed = column(cell, rows, "JointVelocity.1")
    # the spline needs three periods until all its set points move alike
    assert speed[3 * PERIOD :] == approx(0.4, abs=1e-12)
    assert column(cell, rows, "Moving").all()


def test_position_speed_and_acceleration_of_a_stream_never_jump():
    cell = arm_cell()
    start = joints_at_start(cell)
    random = np.random.default_rng(1)
    steps = random.uniform(-0.01, 0.01, (20, 6))
    rows = stream(cell, start + np.cumsum(steps, axis=0))
    position, speed = column(cell, rows, "JointReference.2"), column(cell, rows, "JointVelocity.2")
    # of a cubic: within h times the bound on the next derivative, 4 steps of 0.02 rad
    jerk = 4 * 0.02 / 0.01**3
    assert np.abs(np.diff(speed)).max() < 1e-3 * 4 * 0.02 / 0.01**2
    assert np.abs(np.diff(speed, n=2)).max() < 1.01e-6 * jerk
    # and the position is what the speed adds up to: Simpson's rule is exact for a parabola
    way = (speed[:-2:2] + 4 * speed[1:-1:2] + speed[2::2]).sum() * 1e-3 / 3
    assert way == approx(position[2 * (len(position) // 2 - 1)] - position[0], abs=1e-12)


def test_a_stream_stays_among_its_set_points_and_rests_at_the_last():
    cell = arm_cell()
    start = joints_at_start(cell)
    rows = stream(cell, [start + 0.01] * 1)
    rows = np.concatenate([rows, cell.run(5 * PERIOD)])
    position = column(cell, rows, "JointReference.3")
    assert position.min() >= start[2] - 1e-15 and position.max() <= start[2] + 0.01 + 1e-15
    assert joints(cell) == approx(start + 0.01, abs=1e-15)


def test_a_stream_that_falls_silent_is_held_and_called_lost():
    cell = arm_cell()
    start = joints_at_start(cell)
    stream(cell, [start + 0.005 * k for k in range(1, 6)])
    assert cell["Arm.StreamLost"] == 0.0
    # the last set point came PERIOD ticks ago; the watchdog is 100 ticks
    cell.run(100 - PERIOD)
    assert (cell["Arm.StreamLost"], cell["Arm.Moving"]) == (0.0, 1.0)
    cell.run(1)
    assert (cell["Arm.StreamLost"], cell["Arm.Moving"]) == (1.0, 0.0)
    assert joints(cell) == approx(start + 0.025, abs=1e-15)
    assert not joints(cell, "JointVelocity").any()
    # the next set point is heard again
    stream(cell, [start + 0.03], count=5)
    assert (cell["Arm.StreamLost"], cell["Arm.Moving"]) == (0.0, 1.0)


def test_set_points_that_come_early_wait_their_turn_and_none_is_lost():
    cell = arm_cell()
    start = joints_at_start(cell)
    for k in range(1, 5):  # four at once, three ticks apart
        send(cell, start + 0.01 * k, k)
        cell.run(3)
    assert cell.text("Arm.Refusal") == ""
    rows = cell.run(8 * PERIOD)
    assert joints(cell) == approx(start + 0.04, abs=1e-15)
    # it went there at the pace of the period, not in three ticks
    assert column(cell, rows, "JointVelocity.1").max() <= 0.01 / (PERIOD * 1e-3) + 1e-12


def test_a_stream_lost_with_set_points_in_line_goes_through_them_first():
    cell = arm_cell(robot="watchdog_s = 0.02")
    start = joints_at_start(cell)
    for k in range(1, 6):
        send(cell, start + 0.02 * k, k)
        cell.run(1)
    rows = cell.run(120)
    aims = column(cell, rows, "JointReference.1")
    # never faster than its set points: 0.02 rad in 10 ms
    assert np.abs(np.diff(aims)).max() <= 2.0 * 1e-3 + 1e-12
    assert (cell["Arm.StreamLost"], cell["Arm.Moving"]) == (1.0, 0.0)
    assert joints(cell) == approx(start + 0.1, abs=1e-15)


def test_too_many_set_points_at_once_are_refused():
    cell = arm_cell()
    start = joints_at_start(cell)
    for k in range(1, 7):
        send(cell, start + 0.001 * k, k)
        cell.run(1)
    assert cell.text("Arm.Refusal") == "set points come too often"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ((1, np.nan), "not a number"),
        ((1, np.inf), "not a number"),
        ((1, 3.0), "beyond a joint's limit"),
        ((0, 0.5), "faster than a joint can move"),
    ],
)
def test_a_bad_set_point_is_refused_and_changes_nothing(change, reason):
    cell = arm_cell()
    start = joints_at_start(cell)
    stream(cell, [start + 0.002])
    twin = arm_cell()
    twin.restore(cell.snapshot())
    twin.commands.values[:] = cell.commands.values
    wrong = start + 0.002
    wrong[change[0]] = change[1]
    send(cell, wrong, 2)
    rows, expected = cell.run(30), twin.run(30)
    assert cell.text("Arm.Refusal") == reason
    assert cell["Arm.RefusalCount"] == 1.0
    assert np.array_equal(
        column(cell, rows, "JointReference.1"), column(twin, expected, "JointReference.1")
    )
    # a good one is taken again, and the reason goes away
    send(cell, start + 0.002, 3)
    cell.run(1)
    assert cell.text("Arm.Refusal") == ""


def test_a_tcp_set_point_moves_the_tool_there():
    cell = arm_cell()
    cell.run(1)
    pose = [cell[f"Arm.TcpPose.{name}"] for name in "XYZABC"]
    for k in range(1, 11):
        send_tcp(cell, [pose[0] + 0.001 * k, pose[1], pose[2] - 0.001 * k, *pose[3:]], k)
        cell.run(PERIOD)
    cell.run(4 * PERIOD)
    reached = [cell[f"Arm.TcpPose.{name}"] for name in "XYZABC"]
    # the inverse kinematics is good to 1e-10
    assert reached[:3] == approx([pose[0] + 0.01, pose[1], pose[2] - 0.01], abs=1e-9)
    assert reached[3:] == approx(pose[3:], abs=1e-9)


def test_a_tcp_set_point_out_of_reach_is_refused():
    cell = arm_cell()
    before = joints_at_start(cell)
    send_tcp(cell, [5.0, 0.0, 1.0, 0.0, 0.0, 0.0], 1)
    cell.run(5)
    assert cell.text("Arm.Refusal") == "out of reach"
    assert np.array_equal(joints(cell), before)


def joints_at_start(cell):
    cell.run(1)
    return joints(cell)
