"""A tool handed from one arm to another: each gives way while it carries, no force is lost."""

import numpy as np
import pytest
from pytest import approx
from robots import ARM6_POSE, arm6, signal_of_axes, twin_of
from scenes import ball, cell_of, column, vectors
from scipy.spatial.transform import Rotation

AIM = np.radians(ARM6_POSE)
MASS, CENTER = 6.0, np.array([0.02, 0.03, -0.1])
HANDED = 3000  # tick; by then less than e^-60 of the first deflection's motion is left
REACH = twin_of(arm6()).tcp(AIM).translation


def handover_cell(drive, **keys):
    """Two arms face to face with their flanges at one place; the tool begins on the first."""
    tool = ball(MASS, 0.05, center_of_mass_m=CENTER, position_m=REACH)
    flange = {"mode": "control", "sphere": {"radius_m": 0.03}}
    closed = {"R0": True, "R1": False}
    return cell_of(
        robot={
            "R0": arm6(drive=drive),
            "R1": arm6(drive=drive, position_m=other_base(), orientation_deg=[0, 0, 180]),
        },
        body={"Tool": tool},
        collision_object={f"F{r[1]}": {"on": r, "closed": c, **flange} for r, c in closed.items()},
        # caught as it is: the flanges are turned differently
        constrained_object={
            "T": {"on": "Tool", "radius_m": 0.03, "eta": 50.0, "offset": True, **keys}
        },
        timeline=[{"at_s": HANDED * 1e-3, "set": {"F0.Closed": False, "F1.Closed": True}}],
    )


def other_base():
    return [2 * REACH[0], 2 * REACH[1], 0.0]


def twin(robot):
    if robot == "R0":
        return twin_of(arm6())
    return twin_of(arm6(position_m=other_base(), orientation_deg=[0, 0, 180]))


def run_through(cell):
    """Rows up to the hand-over, and from it on."""
    before, after = cell.run(HANDED), cell.run(HANDED)
    assert cell.fault is None
    partner = column(cell, np.vstack([before, after]), "T.Partner")
    assert np.array_equal(partner, [1] * HANDED + [2] * HANDED)
    return before, after


def joints(cell, row, signal):
    return np.array([row[cell.signals[f"{signal}.{k + 1}"].column] for k in range(6)])


def assert_carries(cell, row, robot, mass):
    """At rest, the drives hold arm and tool, and give way by what is not fed forward."""
    q, effort = (
        joints(cell, row, f"{robot}.JointPosition"),
        joints(cell, row, f"{robot}.JointTorque"),
    )
    at = Rotation.from_quat([row[cell.signals[f"Tool.Quaternion.{x}"].column] for x in "XYZW"])
    center = vectors(cell, row[None], "Tool.Pose")[0] + at.apply(CENTER)
    weight = twin(robot).jacobian(q, center)[:3].T @ [0, 0, mass * 9.81]
    still = np.zeros(6)
    wanted = twin(robot).effort(q, still, still) + weight
    assert effort == approx(wanted, rel=0, abs=1e-6 * np.abs(wanted).max())  # settled
    own = slice(*((0, 6) if robot == "R0" else (6, 12)))
    sunk = (effort - twin(robot).effort(AIM, still, still)) / cell.model.axes.stiffness[own]
    assert AIM - q == approx(sunk, abs=1e-9)


def test_servo_arms_give_way_in_turn():
    cell = handover_cell("servo")
    before, after = run_through(cell)
    for rows, carrying, empty in ((before, "R0", "R1"), (after, "R1", "R0")):
        assert_carries(cell, rows[-1], carrying, MASS)
        assert_carries(cell, rows[-1], empty, 0.0)
        sunk = np.abs(joints(cell, rows[-1], f"{carrying}.JointPosition") - AIM).max()
        assert sunk > 1e-4
        assert joints(cell, rows[-1], f"{empty}.JointPosition") == approx(AIM, abs=1e-9)


@pytest.mark.parametrize("drive", ["servo", "ideal"])
@pytest.mark.parametrize("transition", [False, True])
def test_flange_feels_the_opposite_of_what_the_tool_feels(drive, transition):
    cell = handover_cell(drive, transition=transition, transition_s=0.2)
    before, after = run_through(cell)
    for rows, flange, other in ((before, "F0", "F1"), (after, "F1", "F0")):
        f_tool, n_tool = in_world(cell, rows, "T")
        f_flange, n_flange = in_world(cell, rows, flange)
        lever = vectors(cell, rows, "T.Pose") - vectors(cell, rows, f"{flange}.Pose")
        # sums of some ten numbers of the size of the greatest
        assert f_flange == approx(-f_tool, abs=1e-12 * np.abs(f_tool).max())
        moment = -n_tool - np.cross(lever, f_tool)
        assert n_flange == approx(moment, abs=1e-12 * np.abs(f_tool).max())
        assert not vectors(cell, rows, f"{other}.Force").any()


def in_world(cell, rows, name):
    turn = np.column_stack([column(cell, rows, f"{name}.Quaternion.{x}") for x in "XYZW"])
    R = Rotation.from_quat(turn)
    return [R.apply(vectors(cell, rows, f"{name}.{kind}")) for kind in ("Force", "Torque")]


def test_ideal_arms_hand_over_without_a_stir():
    cell = handover_cell("ideal")
    before, after = run_through(cell)
    rows = np.vstack([before, after])
    assert vectors(cell, rows, "Tool.Pose") == approx(np.tile(REACH, (len(rows), 1)), abs=1e-12)
    for robot in ("R0", "R1"):
        for k in range(6):
            assert (column(cell, rows, f"{robot}.JointPosition.{k + 1}") == AIM[k]).all()
    still = np.zeros(6)
    for rows, carrying, empty in ((before, "R0", "R1"), (after, "R1", "R0")):
        alone = twin(empty).effort(AIM, still, still)
        assert joints(cell, rows[-1], f"{empty}.JointTorque") == approx(alone, abs=1e-9 * 300)
        lever = twin(carrying).jacobian(AIM, REACH + CENTER)[:3].T @ [0, 0, MASS * 9.81]
        both = twin(carrying).effort(AIM, still, still) + lever
        assert joints(cell, rows[-1], f"{carrying}.JointTorque") == approx(both, abs=1e-9 * 300)


@pytest.mark.parametrize("drive", ["servo", "ideal"])
def test_results_do_not_depend_on_the_order_in_which_robots_are_listed(drive):
    first = handover_cell(drive)
    tables = first.spec.model_dump(exclude_none=True, exclude_defaults=True)
    tables["robot"] = dict(reversed(tables["robot"].items()))
    tables["collision_object"] = dict(reversed(tables["collision_object"].items()))
    second = cell_of(**tables)
    a, b = first.run(HANDED + 500), second.run(HANDED + 500)
    assert signal_of_axes(first, "R0.JointTorque") == approx(
        signal_of_axes(second, "R0.JointTorque"), abs=1e-9 * 300
    )
    for signal in first.signals:
        if signal.texts:
            continue
        one, two = column(first, a, signal.name), column(second, b, signal.name)
        # sums in another order: round-off
        assert one == approx(two, abs=1e-9 * max(1.0, np.abs(one).max())), signal.name
