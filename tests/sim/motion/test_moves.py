"""Moves in a running cell: followed exactly, stopped on their path, refused whole."""

import numpy as np
import pytest
from pytest import approx
from robot_cells import START_DEG, arm_cell, column, joints, send, send_tcp

from twincell.sim.plan import Refused, sample
from twincell.sim.spec import SpecError

UPRIGHT = [1.0, 0.0, 0.0, 0.0]
START = np.radians(START_DEG)


def run_until_rest(cell, most=5000):
    rows = []
    while cell.robot("Arm").is_moving and len(rows) < most:
        rows.append(cell.run(1)[0])
    return np.array(rows)


def test_an_ideal_robot_is_where_the_plan_says_in_every_tick():
    cell = arm_cell()
    target = np.add(START, [0.1, -0.1, 0.2, 0.3, -0.1, 0.5])
    plan = cell.robot("Arm").move_joint(target)
    rows = run_until_rest(cell)
    for k in range(0, len(rows), 25):
        q, qd, _ = sample(plan, k * 1e-3)
        for joint in range(6):
            # the same polynomials, evaluated in the same order but for rounding
            assert column(cell, rows, f"JointPosition.{joint + 1}")[k] == approx(
                q[joint], abs=1e-12
            )
            assert column(cell, rows, f"JointVelocity.{joint + 1}")[k] == approx(
                qd[joint], abs=1e-11
            )
    cell.run(1)
    assert joints(cell) == approx(target, abs=1e-12)
    assert (cell["Arm.MoveCount"], cell["Arm.Moving"]) == (1.0, 0.0)


def test_a_linear_move_keeps_the_tool_on_its_line():
    cell = arm_cell()
    cell.run(1)
    start = np.array([cell[f"Arm.TcpPose.{n}"] for n in "XYZ"])
    end = np.add(start, [0.1, 0.2, 0.1])
    cell.robot("Arm").move_linear(end, UPRIGHT)
    rows = run_until_rest(cell)
    path = np.stack([column(cell, rows, f"TcpPose.{n}") for n in "XYZ"], axis=1) - start
    along = (end - start) / np.linalg.norm(end - start)
    # the plan is within 1e-6 m of its line in the middle of its pieces
    assert np.linalg.norm(path - np.outer(path @ along, along), axis=1).max() < 2e-6
    assert path[-1] == approx(end - start, abs=1e-6)


def test_a_stop_brakes_on_the_path_and_within_the_limits():
    cell = arm_cell()
    cell.run(1)
    start = np.array([cell[f"Arm.TcpPose.{n}"] for n in "XYZ"])
    end = np.add(start, [0.1, 0.2, 0.1])
    plan = cell.robot("Arm").move_linear(end, UPRIGHT)
    rows = [cell.run(round(1000 * plan.law[-1, 0] / 2))]
    cell["Arm.Stop"] = True
    rows.append(run_until_rest(cell))
    rows = np.concatenate(rows)
    path = np.stack([column(cell, rows, f"TcpPose.{n}") for n in "XYZ"], axis=1) - start
    along = (end - start) / np.linalg.norm(end - start)
    assert np.linalg.norm(path - np.outer(path @ along, along), axis=1).max() < 2e-6
    assert 0.0 < path[-1] @ along < np.linalg.norm(end - start) - 0.01
    axes = cell.model.axes
    for joint in range(6):
        speed = column(cell, rows, f"JointVelocity.{joint + 1}")
        # differences of samples: below the derivative's bound
        assert np.abs(np.diff(speed)).max() / 1e-3 <= axes.acceleration[joint] * (1 + 1e-6)

    # while Stop is set nothing new is taken
    with pytest.raises(Refused, match="Stop is set"):
        cell.robot("Arm").move_joint(START)
    send(cell, joints(cell), 1)
    cell.run(1)
    assert cell.text("Arm.Refusal") == "stopped"
    cell["Arm.Stop"] = False
    cell.robot("Arm").move_joint(START)
    run_until_rest(cell)
    cell.run(1)
    assert joints(cell) == approx(START, abs=1e-12)


def test_a_stop_out_of_a_stream_keeps_the_limits_of_every_joint():
    cell = arm_cell()
    cell.run(1)
    rows = []
    for k in range(1, 31):
        send(cell, START + 0.005 * k, k)
        rows.append(cell.run(10))
    cell["Arm.Stop"] = True
    stop = run_until_rest(cell)
    axes = cell.model.axes
    for joint in range(6):
        before = column(cell, rows[-1], f"JointVelocity.{joint + 1}")[-1:]
        speed = np.concatenate([before, column(cell, stop, f"JointVelocity.{joint + 1}")])
        # differences of samples: below the derivative's bound, but for their rounding
        assert np.abs(np.diff(speed)).max() / 1e-3 <= axes.acceleration[joint] * (1 + 1e-6)
        assert np.abs(np.diff(speed, n=2)).max() / 1e-6 <= axes.jerk[joint] * (1 + 1e-6)
    cell.run(1)
    assert not joints(cell, "JointVelocity").any()


def test_a_joint_at_the_end_of_its_range_does_not_make_the_others_stop_harder():
    cell = arm_cell()
    cell.robot("Arm").move_joint([cell.model.axes.upper[0], *START[1:]])
    run_until_rest(cell)
    cell.run(1)
    at = joints(cell)
    way = np.zeros(6)
    way[5] = 0.8 * cell.model.axes.velocity[5] * 0.01
    for k in range(1, 41):
        send(cell, at + k * way, k)
        cell.run(10)
    cell["Arm.Stop"] = True
    rows = run_until_rest(cell)
    speed = column(cell, rows, "JointVelocity.6")
    most = cell.model.axes.acceleration[5] * (1 + 1e-6)
    assert np.abs(np.diff(speed)).max() / 1e-3 <= most
    assert cell["Arm.JointPosition.1"] <= cell.model.axes.upper[0]


def test_a_stream_stopped_at_full_speed_before_a_limit_does_not_pass_it():
    cell = arm_cell()
    cell.run(1)
    way = np.zeros(6)
    way[0] = 0.9 * cell.model.axes.velocity[0] * 0.01
    limit = cell.model.axes.upper[0]
    for k in range(1, int(limit / way[0]) + 1):
        send(cell, START + k * way, k)
        cell.run(10)
    cell["Arm.Stop"] = True
    cell.run(1000)
    assert cell["Arm.JointReference.1"] <= limit + 1e-12
    assert cell["Arm.Moving"] == 0.0
    # and it can go on from there
    cell["Arm.Stop"] = False
    cell.robot("Arm").move_joint(START)


def test_a_stop_while_it_holds_or_streams_at_rest_changes_nothing():
    cell = arm_cell()
    cell.run(1)
    send(cell, START, 1)
    cell.run(1)
    cell["Arm.Stop"] = True
    cell.run(3)
    assert cell["Arm.Moving"] == 0.0
    assert joints(cell) == approx(START, abs=1e-15)  # rounding of the spline


def test_a_move_while_moving_is_refused_and_the_first_one_goes_on():
    cell, twin = arm_cell(), arm_cell()
    for one in (cell, twin):
        one.robot("Arm").move_joint(START + 0.2)
        one.run(100)
    with pytest.raises(Refused, match="moving"):
        cell.robot("Arm").move_joint(START)
    assert cell.state_hash() == twin.state_hash()
    send(cell, START, 1)
    rows, expected = cell.run(100), twin.run(100)
    assert cell.text("Arm.Refusal") == "busy with a move"
    assert np.array_equal(
        column(cell, rows, "JointPosition.1"), column(twin, expected, "JointPosition.1")
    )


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ([0.0] * 5, "6"),
        ([np.nan] * 6, "number"),
        ([0, 3.0, 0, 0, 0, 0], "joint_2"),
    ],
)
def test_a_bad_target_is_refused_and_changes_nothing(target, words):
    cell = arm_cell()
    before = cell.state_hash()
    with pytest.raises(Refused, match=words):
        cell.robot("Arm").move_joint(target)
    assert cell.state_hash() == before


def test_a_snapshot_in_the_middle_of_a_move_goes_on_the_same():
    cell, twin = arm_cell(), arm_cell()
    cell.robot("Arm").move_linear([0.6, 0.2, 0.9], UPRIGHT)
    cell.run(150)
    twin.restore(cell.snapshot())
    assert np.array_equal(cell.run(200), twin.run(200))


def test_a_servo_robot_follows_its_plan_closely():
    cell = arm_cell("servo")
    cell.robot("Arm").move_joint(np.add(START, [0.5, -0.2, 0.3, 0.4, -0.3, 1.0]))
    rows = run_until_rest(cell)
    for k in range(1, 7):
        lag = column(cell, rows, f"JointPosition.{k}") - column(cell, rows, f"JointReference.{k}")
        # no load but its own, which the feed-forward knows: what is left is that it is held for
        # a tick, h times the rate of the torque over the stiffness
        assert np.abs(lag).max() < 1e-3
    assert np.abs(column(cell, rows, "JointTorque.1")).max() > 10.0


def test_a_robot_at_its_limit_says_so_and_takes_its_own_position_as_a_set_point():
    cell = arm_cell()
    for k, target in enumerate((cell.model.axes.upper, cell.model.axes.lower) * 3):
        cell.robot("Arm").move_joint([0.9 * target[0], *START[1:4], target[4], START[5]])
        run_until_rest(cell)
        cell.run(1)
        cell.robot("Arm").move_joint([target[0], *START[1:4], target[4], START[5]])
        run_until_rest(cell)
        cell.run(1)
        assert (cell["Arm.AtLimit.1"], cell["Arm.AtLimit.5"]) == (1.0, 1.0)
        send(cell, joints(cell), k + 1)
        cell.run(120)  # taken, silent, lost: it holds again
        assert (cell.text("Arm.Refusal"), cell["Arm.StreamLost"]) == ("", 1.0)


def test_a_move_clears_a_lost_stream():
    cell = arm_cell()
    send(cell, START, 1)
    cell.run(150)
    assert cell["Arm.StreamLost"] == 1.0
    cell.robot("Arm").move_joint(START + 0.1)
    cell.run(1)
    assert cell["Arm.StreamLost"] == 0.0


TURN = "move_joint.Arm = { joints_deg = [10, -20, 40, 0, 70, 0] }"


def test_a_stop_and_a_move_of_one_entry_see_the_same_instant():
    cell = arm_cell(more=f'[[timeline]]\nat_s = 0\nset = {{ "Arm.Stop" = false }}\n{TURN}')
    cell["Arm.Stop"] = True
    cell.run(1)
    assert (cell["Arm.MoveCount"], cell.text("Arm.Refusal")) == (1.0, "")


def test_a_move_of_the_timeline_is_refused_while_a_controller_stops_the_robot():
    cell = arm_cell(more=f"[[timeline]]\nat_s = 0.01\n{TURN}")
    cell["Arm.Stop"] = True
    cell.run(20)
    assert (cell["Arm.MoveCount"], cell.text("Arm.Refusal")) == (0.0, "stopped")
    assert cell["Arm.RefusalCount"] == 1.0


def test_a_move_of_the_timeline_is_refused_where_the_robot_is_not():
    cell = arm_cell(more=f"[[timeline]]\nat_s = 0.2\n{TURN}")
    send(cell, START + 0.01, 1)
    cell.run(250)
    assert cell.text("Arm.Refusal") == "not at rest where the move begins"
    assert cell["Arm.RefusalCount"] == 1.0


def test_a_fault_in_the_tick_before_a_move_ends_the_run():
    rocket = """
    [body.Rocket]
    mass_kg = 1
    inertia_kg_m2 = [1, 1, 1]
    velocity_m_s = [1e9, 0, 0]
    """
    alone = arm_cell(more=rocket).run(20_000)
    cell = arm_cell(more=f"{rocket}\n[[timeline]]\nat_s = {len(alone) / 1000}\n{TURN}")
    rows = cell.run(20_000)
    assert cell.fault is not None and len(rows) == len(alone) < 20_000


def test_a_robot_on_something_that_moves_takes_joint_positions_only():
    mover = "[mover.M]\nposition_m = [0, 0, 1]"
    cell = arm_cell(more=mover, robot='on = "M"')
    robot = cell.robot("Arm")
    for move in (
        lambda: robot.move_linear([0.6, 0.2, 0.9], UPRIGHT),
        lambda: robot.move_via([([0.6, 0.2, 0.9], UPRIGHT, 0.0)]),
        lambda: robot.move_joint_to_pose([0.6, 0.2, 0.9], UPRIGHT),
    ):
        with pytest.raises(Refused, match="stands on something that moves"):
            move()
    send_tcp(cell, [0.6, 0.2, 0.9, 0, 0, 0], 1)
    cell.run(1)
    assert cell.text("Arm.Refusal") == "stands on something that moves"
    with pytest.raises(SpecError, match="stands on something that moves"):
        line = "[[timeline]]\nat_s = 1\nmove_linear.Arm = { position_m = [0.6, 0.2, 0.9] }"
        arm_cell(more=f"{mover}\n{line}", robot='on = "M"')


def test_set_points_of_joints_and_tool_in_one_tick_are_one_too_many():
    cell = arm_cell()
    send(cell, START + 0.001, 1)
    send_tcp(cell, [0.6, 0.2, 0.9, 0, 0, 0], 1)
    cell.run(100)
    assert cell.text("Arm.Refusal") == "set points come too often"
    assert joints(cell) == approx(START + 0.001, abs=1e-15)


def test_what_is_no_robot_and_no_number_is_told():
    cell = arm_cell()
    with pytest.raises(KeyError, match="there is no robot Nope: Arm"):
        cell.robot("Nope")
    with pytest.raises(ValueError, match="whole number"):
        cell["Arm.JointSetPoint"] = 1.5
    robot = cell.robot("Arm")
    for move, words in (
        (lambda: robot.move_joint(START, speed="fast"), "speed is 'fast'"),
        (lambda: robot.move_via([([0.6, 0.2, 0.9], UPRIGHT)]), "point 1"),
        (lambda: robot.move_via(None), "at least one point"),
        (lambda: robot.move_linear([1e300, 0, 1], UPRIGHT), "too large"),
    ):
        with pytest.raises(Refused, match=words):
            move()
