"""What a tool does to the arm that holds it: torque, deflection, overload, stops.

A tool at rest weighs on the flange with a wrench f; the drives feel Jᵀ f. A servo gives way until
K (q* - q) is what its feed-forward, which knows the arm alone, leaves out.
"""

import numpy as np
import pytest
from pytest import approx
from robots import ARM6_POSE, SHIPPED, arm6, signal_of_axes, twin_of
from scenes import ball, cell_of
from scipy.spatial.transform import Rotation

TOOL_KG, CENTER = 8.0, [0.05, -0.03, 0.12]
# the slowest mode of servo and tool dies with about 25/s (8 Hz, critically damped, with more
# inertia than it was made for), so after 3 s less than e^-60 of it is left: only round-off is
SETTLED = 3000


def holding_cell(table, mass_kg=TOOL_KG, **keys):
    """A robot R and a tool that sits on its flange from the start."""
    at = twin_of(table).tcp(start_of(table))
    angles = np.flip(Rotation.from_matrix(at.rotation).as_euler("ZYX", degrees=True))
    body = ball(mass_kg, 0.02 * mass_kg, center_of_mass_m=CENTER)
    tool = {**body, "position_m": at.translation, "orientation_deg": angles}
    grasp = {"on": "Tool", "radius_m": 0.05, "eta": 50.0}
    flange = {"on": "R", "mode": "control", "closed": True, "sphere": {"radius_m": 0.05}}
    return cell_of(
        robot={"R": {**table, **keys}},
        body={"Tool": tool},
        collision_object={"Flange": flange},
        constrained_object={"T": grasp},
    )


def start_of(table):
    hinges, slides = iter(np.radians(table.get("start_deg", []))), iter(table.get("start_m", []))
    axes = twin_of(table).model.axes
    return np.array([next(hinges if a.type == "revolute" else slides, 0.0) for a in axes])


ROBOTS = {
    "arm6": arm6(tcp_orientation_deg=[0, 0, 30]),
    "gantry": {
        "model": str(SHIPPED / "gantry.toml"),
        "start_m": [1.0, 0.7, 0.4],
        "start_deg": [20],
    },
    "scara": {"model": str(SHIPPED / "scara.toml"), "start_m": [0.1], "start_deg": [30, -50, 40]},
}


@pytest.fixture(params=ROBOTS)
def table(request):
    return ROBOTS[request.param]


def weight_on_joints(table, q, mass_kg=TOOL_KG):
    """Effort of the drives that holds a tool's weight: -Jᵀ f, f its wrench at its centre."""
    twin = twin_of(table)
    at = twin.tcp(q).act(np.array(CENTER))
    return twin.jacobian(q, at)[:3].T @ [0, 0, mass_kg * 9.81]


def test_ideal_drives_show_the_weight_of_the_tool(table):
    cell = holding_cell(table, drive="ideal")
    cell.run(1)
    q = start_of(table)
    empty = twin_of(table).effort(q, 0 * q, 0 * q)
    wanted = weight_on_joints(table, q)
    found = signal_of_axes(cell, "R.JointTorque") - empty
    # at rest on the flange: exact; relative to what the drives do altogether
    assert found == approx(wanted, rel=0, abs=1e-9 * np.abs(empty).max())
    assert np.abs(wanted).max() > 1.0
    cell.run(1000)
    found = signal_of_axes(cell, "R.JointTorque") - empty
    assert found == approx(wanted, rel=0, abs=1e-9 * np.abs(empty).max())
    assert signal_of_axes(cell, "R.JointPosition") == approx(q, abs=0)


def test_servo_at_rest_carries_arm_and_tool_where_it_has_come_to(table):
    cell = holding_cell(table)
    cell.run(SETTLED)
    q = signal_of_axes(cell, "R.JointPosition")
    effort = signal_of_axes(cell, "R.JointTorque")
    wanted = twin_of(table).effort(q, 0 * q, 0 * q) + weight_on_joints(table, q)
    assert effort == approx(wanted, rel=0, abs=1e-6 * np.abs(wanted).max())
    assert cell["T.Deviation"] < 1e-9


def test_servo_gives_way_by_what_its_feed_forward_leaves_out(table):
    cell = holding_cell(table)
    cell.run(SETTLED)
    q, aim = signal_of_axes(cell, "R.JointPosition"), start_of(table)
    effort = signal_of_axes(cell, "R.JointTorque")
    forward = twin_of(table).effort(aim, 0 * aim, 0 * aim)
    sunk = (effort - forward) / cell.model.axes.stiffness
    assert aim - q == approx(sunk, rel=0, abs=1e-6 * np.abs(sunk).max())
    assert np.abs(sunk).max() > 1e-5
    assert cell["R.TcpPose.Z"] < twin_of(table).tcp(aim).translation[2]


def test_integral_part_takes_the_deflection_away(table):
    cell = holding_cell(table, servo={"integral_s": 0.2})
    cell.run(10 * SETTLED)  # the integral part's own mode dies with about 1/T = 5/s
    q, aim = signal_of_axes(cell, "R.JointPosition"), start_of(table)
    assert q == approx(aim, abs=1e-10)
    effort = signal_of_axes(cell, "R.JointTorque")
    wanted = twin_of(table).effort(aim, 0 * q, 0 * q) + weight_on_joints(table, aim)
    assert effort == approx(wanted, rel=0, abs=1e-6 * np.abs(wanted).max())


def test_arm_that_drops_its_tool_swings_back():
    cell = holding_cell(ROBOTS["arm6"])
    cell.run(SETTLED)
    loaded = cell["R.TcpPose.Z"]
    cell["Flange.Closed"] = False
    cell.run(SETTLED)
    aim = twin_of(ROBOTS["arm6"]).tcp(np.radians(ARM6_POSE)).translation[2]
    assert loaded < cell["R.TcpPose.Z"] - 1e-5
    assert cell["R.TcpPose.Z"] == approx(aim, abs=1e-9)  # feed-forward knows the arm exactly


# ---------------------------------------------------------------- too much


def test_servo_with_too_heavy_a_tool_is_overloaded_and_sinks():
    cell = holding_cell(arm6(), mass_kg=120.0)  # 10 kg is what the arm is made for
    cell.run(200)
    overload = signal_of_axes(cell, "R.Overload")
    most = cell.model.axes.effort
    effort = signal_of_axes(cell, "R.JointTorque")
    assert overload.any()
    assert np.abs(effort) == approx(np.where(overload, most, np.abs(effort)), abs=0)
    before = cell["R.TcpPose.Z"]
    cell.run(300)
    assert cell["R.TcpPose.Z"] < before - 0.05
    assert cell.fault is None


def test_ideal_arm_with_too_heavy_a_tool_shows_it_and_holds():
    cell = holding_cell(arm6(drive="ideal"), mass_kg=120.0)
    cell.run(1000)
    q = start_of(arm6())
    wanted = twin_of(arm6()).effort(q, 0 * q, 0 * q) + weight_on_joints(arm6(), q, 120.0)
    over = np.abs(wanted) > cell.model.axes.effort
    assert over.any() and not over.all()
    assert np.array_equal(signal_of_axes(cell, "R.Overload"), over)
    assert signal_of_axes(cell, "R.JointPosition") == approx(q, abs=0)


def test_overloaded_slide_sinks_onto_its_stop():
    """250 N against 41.7 kg: the stop takes the rest, and gives way by it."""
    cell = holding_cell(ROBOTS["scara"], mass_kg=40.0)
    cell.run(SETTLED)
    at_limit, overload = (signal_of_axes(cell, f"R.{name}") for name in ("AtLimit", "Overload"))
    assert at_limit.tolist() == [0, 0, 1, 0]
    assert overload.tolist() == [0, 0, 1, 0]
    joint = cell.model.axes.joint[2]
    depth = cell["R.JointPosition.3"] - 0.2
    rest = (40.0 + 0.6 + 1.1) * 9.81 - 250.0
    assert depth == approx(rest / cell.model.joints.stop_stiffness[joint], rel=1e-6)
    assert cell["R.JointVelocity.3"] == approx(0, abs=1e-9)
