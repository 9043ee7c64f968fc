"""The contact paper's experiments, six more of its pairs, and a tool that falls: as shipped."""

import math

import numpy as np
import pytest
from pytest import approx
from scipy.optimize import brentq

G = 9.81


def restitution(V):
    return brentq(lambda E: V - np.log1p(V) + E + np.log1p(-E), 1e-12, 1 - 1e-12) / V


def slope_of(trace, signal, begin, end):
    """Mean rate of a signal between two times."""
    return (trace.at(signal, end) - trace.at(signal, begin)) / (end - begin)


def test_experiment_1_a_ball_hits_a_cylinder_bounces_and_falls_down_beside_it(run_cell):
    trace = run_cell("contact_sphere_cylinder", 0.6)
    touching = trace["BallSkin.Contacts"] > 0
    hits = np.flatnonzero(np.diff(touching.astype(int)) == 1) + 1
    first = math.sqrt(2 * (0.05 - math.sqrt(0.0225**2 - 0.002**2)) / G)
    assert first == approx(0.0750, abs=5e-5)
    assert hits[0] * 1e-3 == approx(first, abs=1e-3)  # the tick within which it touches
    assert trace["Ball.Pose.Y"][:75] == approx(0.05 - G * trace.time[:75] ** 2 / 2, abs=1e-12)
    # off the ridge to the side it started on, and away
    assert trace.at("Ball.Pose.Z", 0.599) > 0.0225
    assert trace.at("Ball.Pose.Y", 0.599) < 0
    assert trace["Ball.Pose.X"] == approx(0.0, abs=1e-12)


def test_experiment_2_a_cylinder_hits_a_tilted_disc_and_rolls_down(run_cell):
    trace = run_cell("contact_cylinder_disc", 0.6)
    tilt = math.radians(5)
    hit = math.sqrt(2 * (0.02 - 0.0075 / math.cos(tilt)) / G)
    assert hit == approx(0.0504, abs=5e-5)
    touching = np.flatnonzero(trace["RollerSkin.Contacts"])
    assert touching[0] * 1e-3 == approx(hit, abs=1e-3)
    assert trace.at("Touch.Contacts", 0.15) == 2
    rolling = slope_of(trace, "Roller.AngularVelocity.X", 0.12, 0.25)
    # its contact points are half the depth inside: 20 µm of 7.5 mm
    assert rolling == approx(G * math.sin(tilt) / (1.5 * 0.0075), rel=5e-3)
    assert rolling == approx(76.0, rel=5e-3)
    # it leaves the plate over its rim, 40 mm away, and falls
    assert trace.at("Roller.Pose.Y", 0.599) < -0.01


def test_experiment_3_a_box_hits_a_tilted_plane_slides_and_leaves_it(run_cell):
    trace = run_cell("contact_box_rectangle", 0.8)
    a = math.radians(15)
    down = np.array([-math.cos(a), -math.sin(a)])
    speed = np.column_stack([trace["Box.Velocity.X"], trace["Box.Velocity.Y"]]) @ down
    lying = (trace["BoxSkin.Contacts"] >= 3) & (trace.time > 0.25) & (trace.time < 0.4)
    assert lying.sum() > 100
    rate = np.polyfit(trace.time[lying], speed[lying], 1)[0]
    assert rate == approx(G * (math.sin(a) - 0.08 * math.cos(a)), rel=0.01)
    assert trace.at("Box.Pose.Y", 0.799) < trace.at("Box.Pose.Y", 0.4)


def test_two_balls_share_their_momentum_as_the_restitution_says(run_cell):
    trace = run_cell("contact_spheres", 0.15)
    e = restitution(0.5)
    assert trace["Right.Velocity.X"][-1] == approx((1 + e) / 2, abs=1e-3)
    assert trace["Left.Velocity.X"][-1] == approx((1 - e) / 2, abs=1e-3)


def test_a_ball_that_slides_comes_to_roll_with_five_sevenths_of_its_speed(run_cell):
    trace = run_cell("contact_sphere_rectangle", 0.5)
    assert slope_of(trace, "Ball.Velocity.X", 0.02, 0.12) == approx(-0.2 * G, rel=5e-3)
    assert trace.at("Ball.Velocity.X", 0.3) == approx(5 / 7, rel=2e-3)


def test_a_ball_bounces_on_a_disc_by_the_law_of_restitution(run_cell):
    trace = run_cell("contact_sphere_disc", 1.2)
    v = math.sqrt(2 * G * 0.32)
    tops = []
    for _ in range(3):
        v *= restitution(0.2 * v)
        tops.append(v**2 / (2 * G))
    z = trace["Ball.Pose.Z"] - 0.02
    found = [z[k] for k in range(300, len(z) - 1) if z[k - 1] < z[k] >= z[k + 1] and z[k] > 0.02]
    # the closed form leaves out gravity during a hit: g p/v², half a per cent each time
    assert found[: len(tops)] == approx(tops, rel=0.02)


def test_a_cylinder_rolls_down_a_slope_with_two_thirds(run_cell):
    trace = run_cell("contact_cylinder_rectangle", 0.8)
    a = math.radians(10)
    rate = slope_of(trace, "Roller.Velocity.X", 0.1, 0.7) / math.cos(a)
    assert rate == approx(2 / 3 * G * math.sin(a), rel=2e-3)


def test_a_puck_stops_after_v_squared_over_two_mu_g(run_cell):
    trace = run_cell("contact_disc_rectangle", 0.6)
    assert slope_of(trace, "Puck.Velocity.X", 0.05, 0.3) == approx(-0.3 * G, rel=2e-3)
    assert trace["Puck.Velocity.X"][-1] == approx(0.0, abs=1e-5)
    assert trace["Puck.Pose.X"][-1] + 0.3 == approx(1 / (2 * 0.3 * G), rel=0.01)


def test_a_rod_bounces_on_a_rod_and_comes_to_rest_on_it(run_cell):
    trace = run_cell("contact_cylinders", 3.0)
    v = math.sqrt(2 * G * 0.04)
    z = trace["Upper.Pose.Z"] - 0.03
    top = (v * restitution(0.2 * v)) ** 2 / (2 * G)
    # the closed form leaves out gravity during a hit: g p/v² is 2.6 per cent here
    assert z[100:350].max() == approx(top, rel=0.03)
    assert trace["UpperSkin.ContactForce.Z"][-1] == approx(0.2 * G, rel=1e-3)


def test_a_tool_falls_lies_on_the_table_and_is_picked_up_again(run_cell):
    trace = run_cell("tool_falls", 4.5)
    weight = 2.0 * G
    assert trace.partners("Tool") == [(0.0, "Coupling"), (1.0, ""), (3.0, "Coupling")]
    assert trace.at("Tool.Force.Z", 0.9) == approx(weight, abs=1e-6)
    touched = np.flatnonzero(trace["ToolBottom.Contacts"])
    assert touched[0] * 1e-3 == approx(1.0 + math.sqrt(2 * 0.09 / G), abs=1e-3)
    # it lies: four corners, all of its weight
    assert trace.at("ToolOnTable.Contacts", 2.9) == 4
    assert trace.at("ToolOnTable.NormalForce", 2.9) == approx(weight, rel=1e-6)
    assert trace.at("Gripper.Velocity.Z", 2.9) == approx(0.0, abs=1e-9)
    assert trace.at("Gripper.Pose.Z", 2.9) == approx(0.84, abs=1e-5)
    # and hangs again
    assert trace.at("ToolBottom.Contacts", 4.4) == 0
    assert trace["Tool.Deviation"][-1] < 1e-6
    assert trace["Gripper.Pose.Z"][-1] == approx(1.1, abs=1e-3)


@pytest.mark.parametrize("name", ["contact_box_rectangle", "tool_falls"])
def test_a_snapshot_in_the_middle_of_a_contact_goes_on_with_the_same_bits(name, run_cell):
    cell = run_cell(name, 0.3 if name != "tool_falls" else 1.2).cell
    before = cell.snapshot()
    rows = cell.run(200)
    cell.restore(before)
    assert np.array_equal(cell.run(200), rows)
