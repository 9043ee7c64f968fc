"""Contacts act on everything: on what hangs on joints, on robots, and on what the network holds."""

import math

import numpy as np
import pytest
from contact_scenes import G, solid_ball, sphere
from pytest import approx
from robots import arm6
from scenes import ball, cell_of, column, vectors

LAW = {
    "stiffness": 1e6,
    "exponent": 1.5,
    "damping": 1e6,
    "static_friction": 0.5,
    "kinetic_friction": 0.4,
    "slide_speed_m_s": 0.01,
}
FLOOR = {"on": "Floor", "material": "M", "half_space": {}}


def pressed_tool(**grip):
    """A tool in a flange that goes down until it is 0.5 mm deep in the table."""
    way = [{"at_s": 0, "position_m": [0, 0, 0.06]}, {"at_s": 0.2, "position_m": [0, 0, 0.0495]}]
    return cell_of(
        frame={"Floor": {}},
        mover={"Robot": {"waypoints": way}},
        body={"T": ball(1.0, 0.01, position_m=[0, 0, 0.06])},
        collision_object={
            "Flange": {
                "on": "Robot",
                "mode": "control",
                "closed": True,
                "sphere": {"radius_m": 0.1},
            }
        },
        constrained_object={"Tool": {"on": "T", "radius_m": 0.1, "eta": 50, **grip}},
        surface={"F": FLOOR, "S": {"on": "T", "material": "M", **sphere(0.05)}},
        material={"M": LAW},
        watched_contact={"Touch": {"surfaces": ["S", "F"]}},
    )


def test_a_held_tool_pressed_on_a_table_passes_the_force_on_to_its_flange():
    cell = pressed_tool()
    cell.run(400)
    depth = 0.05 - cell["T.Pose.Z"]
    force = 1e6 * depth**1.5
    assert depth == approx(0.5e-3, rel=1e-6)
    assert cell["S.ContactForce.Z"] == approx(force, rel=1e-6)
    assert cell["Tool.Force.Z"] == approx(G - force, rel=1e-6)
    assert cell["Flange.Force.Z"] == approx(force - G, rel=1e-6)
    # the watched contact says the same, and where
    assert cell["Touch.Contacts"] == 1
    assert cell["Touch.NormalForce"] == approx(force, rel=1e-6)
    assert cell["Touch.Depth"] == approx(depth, rel=1e-9)
    assert [cell[f"Touch.Normal.{x}"] for x in "XYZ"] == approx([0, 0, 1])
    assert cell["Touch.Point.Z"] == approx(-depth / 2)


def test_an_arm_that_falls_on_its_tip_leans_on_it():
    cell = cell_of(
        frame={
            "Pivot": {"position_m": [0, 0, 0.1]},
            "Floor": {},
            "Tip": {"on": "Arm", "position_m": [0.4, 0, 0]},
        },
        body={"Arm": ball(1.0, 0.01, center_of_mass_m=[0.2, 0, 0])},
        joint={"J": {"type": "revolute", "parent": "Pivot", "child": "Arm", "axis": [0, 1, 0]}},
        surface={"F": FLOOR, "S": {"on": "Tip", "material": "M", **sphere(0.02)}},
        material={"M": LAW | {"static_friction": 0.0, "kinetic_friction": 0.0}},
    )
    cell.run(5000)
    # moments about the pivot; the contact point is a little nearer to the tip's underside
    q = cell["J.Position"]
    assert cell["J.Velocity"] == approx(0.0, abs=1e-6)
    assert cell["S.ContactForce.Z"] == approx(G * 0.2 / 0.4, rel=1e-4)
    assert q == approx(math.asin((0.1 - 0.02) / 0.4), abs=1e-3)


def jacobian(joints_deg):
    """How the tip goes with each joint, from differences of its poses."""

    def tip(at):
        cell = cell_of(robot={"R": arm6(drive="ideal", start_deg=list(at))})
        cell.run(1)
        return np.array([cell[f"R.TcpPose.{x}"] for x in "XYZ"])

    turn = 1e-3 * np.eye(len(joints_deg))
    ways = [(tip(joints_deg + e) - tip(joints_deg - e)) / 2e-3 for e in turn]
    return np.degrees(ways).T


@pytest.mark.parametrize("drive", ["servo", "ideal"])
def test_a_robot_that_pushes_a_wall_feels_it_in_its_drives(drive):
    """The drives' efforts change by Jᵀ f; a servo gives way, an ideal drive does not."""
    start = [0.0, -60.0, 60.0, 0.0, 30.0, 0.0]
    free = cell_of(robot={"R": arm6(drive=drive, start_deg=start)})
    free.run(500)
    tcp = np.array([free[f"R.TcpPose.{x}"] for x in "XYZ"])
    wall = {
        "frame": {"Wall": {"position_m": [tcp[0] + 0.0299, 0, 0], "orientation_deg": [0, -90, 0]}},
        "surface": {
            "F": {"on": "Wall", "material": "M", "half_space": {}},
            "S": {"on": "R", "material": "M", **sphere(0.03)},
        },
        "material": {"M": LAW | {"static_friction": 0.0, "kinetic_friction": 0.0}},
    }
    cell = cell_of(robot={"R": arm6(drive=drive, start_deg=start)}, **wall)
    cell.run(500)
    force = np.array([cell[f"S.ContactForce.{x}"] for x in "XYZ"])
    assert force[0] < -0.1
    assert force[1:] == approx([0, 0], abs=1e-9)
    moved = np.array([cell[f"R.TcpPose.{x}"] for x in "XYZ"])
    depth = moved[0] + 0.03 - (tcp[0] + 0.0299)
    assert -force[0] == approx(1e6 * depth**1.5, rel=1e-6)
    if drive == "ideal":
        assert moved == approx(tcp, abs=1e-12)
        before = np.array([free[f"R.JointTorque.{k}"] for k in range(1, 7)])
        after = np.array([cell[f"R.JointTorque.{k}"] for k in range(1, 7)])
        # a turn of a joint by ε moves the tip by J ε: the wall's force asks for -Jᵀ f
        assert after - before == approx(-jacobian(start).T @ force, abs=1e-3 * abs(force[0]))
    else:
        assert moved[0] < tcp[0]


def test_a_part_in_two_hands_rests_on_a_table_too():
    """A beam held at both ends, which is a loop, comes down on a support in its middle."""
    ends = {"Left": -0.5, "Right": 0.5}

    def down(x):
        above, below = [x, 0, 0.12], [x, 0, 0.0995]
        waypoints = [{"at_s": 0, "position_m": above}, {"at_s": 0.5, "position_m": below}]
        return {"waypoints": waypoints}

    cell = cell_of(
        frame={
            "Floor": {},
            **{f"On{n}": {"on": "Beam", "position_m": [x, 0, 0]} for n, x in ends.items()},
        },
        mover={n: down(x) for n, x in ends.items()},
        body={"Beam": ball(2.0, 0.2, position_m=[0, 0, 0.12])},
        collision_object={f"Hand{n}": {"on": n, "sphere": {"radius_m": 0.05}} for n in ends},
        constrained_object={
            f"Grip{n}": {"on": f"On{n}", "radius_m": 0.05, "eta": 50, "grip_stiffness_n_m": 1e5}
            for n in ends
        },
        surface={"F": FLOOR, "S": {"on": "Beam", "material": "M", **sphere(0.1)}},
        material={"M": LAW},
    )  # fmt: skip
    cell.run(1500)
    assert cell.fault is None
    support = cell["S.ContactForce.Z"]
    hands = cell["GripLeft.Force.Z"] + cell["GripRight.Force.Z"]
    assert support + hands == approx(2.0 * G, rel=1e-6)
    assert support == approx(1e6 * (0.1 - cell["Beam.Pose.Z"]) ** 1.5, rel=1e-5)
    # the hands want it 0.5 mm deep, and give way by their stiffness
    assert hands == approx(2e5 * (0.0995 - cell["Beam.Pose.Z"]), rel=1e-3)


def test_a_tool_does_not_fight_the_flange_that_holds_it():
    """Their surfaces overlap; held together, they do not push each other."""
    cell = cell_of(
        mover={"Robot": {"position_m": [0, 0, 1.0]}},
        body={"T": ball(1.0, 0.01, position_m=[0, 0, 1.0])},
        collision_object={
            "Flange": {
                "on": "Robot",
                "mode": "control",
                "closed": True,
                "sphere": {"radius_m": 0.1},
            }
        },
        constrained_object={"Tool": {"on": "T", "radius_m": 0.1, "eta": 50}},
        surface={
            "FlangeFace": {"on": "Robot", "material": "M", **sphere(0.05)},
            "ToolFace": {"on": "T", "material": "M", **sphere(0.05)},
        },
        material={"M": LAW},
    )
    rows = cell.run(100)
    assert not column(cell, rows, "ToolFace.ContactForce.Z").any()
    assert cell["Tool.Force.Z"] == approx(G, abs=1e-9)
    cell["Flange.Closed"] = False
    rows = cell.run(5)
    assert np.abs(vectors(cell, rows, "ToolFace.ContactForce")).max() > 1.0


def test_what_a_joint_or_a_second_hand_connects_does_not_touch():
    """A hinge in a block of the world, and a part between two hands: all of them overlap."""
    skin = {"material": "M", **sphere(0.05)}
    hinged = cell_of(
        frame={"Block": {}, "Rail": {"position_m": [0, 0, -0.06]}},
        body={"Arm": ball(1.0, 0.01)},
        joint={"J": {"type": "revolute", "parent": "Block", "child": "Arm", "axis": [0, 1, 0]}},
        surface={
            "S": {"on": "Arm", **skin},
            "Own": {"on": "Block", **skin},
            "Other": {"on": "Rail", **skin},
        },
        material={"M": LAW},
    )
    hinged.run(1)
    assert hinged["Own.Contacts"] == 0
    assert hinged["Other.Contacts"] == 1
    ends = {"Left": -0.06, "Right": 0.06}
    held = cell_of(
        frame={f"On{n}": {"on": "Part", "position_m": [x, 0, 0]} for n, x in ends.items()},
        mover={n: {"position_m": [x, 0, 0]} for n, x in ends.items()},
        body={"Part": ball(1.0, 0.01)},
        collision_object={f"Hand{n}": {"on": n, "sphere": {"radius_m": 0.05}} for n in ends},
        constrained_object={
            f"Grip{n}": {"on": f"On{n}", "radius_m": 0.05, "eta": 50, "grip_stiffness_n_m": 1e5}
            for n in ends
        },
        surface={"S": {"on": "Part", **skin}, **{f"S{n}": {"on": n, **skin} for n in ends}},
        material={"M": LAW},
    )
    rows = held.run(200)
    assert held["HandLeft.Holding"] == held["HandRight.Holding"] == 1
    assert not vectors(held, rows[1:], "S.ContactForce").any()


def test_a_held_tool_that_touches_stays_where_its_mover_carries_it():
    swing = {"sine": {"direction": [0, 0, 1], "amplitude_m": 0.005, "frequency_hz": 2.0}}
    cell = cell_of(
        frame={"Floor": {}},
        mover={"Robot": {"position_m": [0, 0, 0.052], **swing}},
        body={"T": ball(1.0, 0.01, position_m=[0, 0, 0.052])},
        collision_object={"Flange": {"on": "Robot", "sphere": {"radius_m": 0.1}}},
        constrained_object={"Tool": {"on": "T", "radius_m": 0.1, "eta": 50}},
        surface={"F": FLOOR, "S": {"on": "T", "material": "M", **sphere(0.05)}},
        material={"M": LAW},
    )
    rows = cell.run(1500)
    touching = column(cell, rows, "S.Contacts") == 1
    assert touching.any() and not touching.all()
    assert column(cell, rows, "Tool.Deviation")[500:].max() < 1e-6


def test_groups_decide_who_touches_whom():
    def fallen(**keys):
        cell = cell_of(
            frame={"Floor": {}},
            body={"B": solid_ball(0.1, 0.02, position_m=[0, 0, 0.03])},
            surface={
                "F": {**FLOOR, "group": "Ground"},
                "S": {"on": "B", "material": "M", "group": "Parts", **sphere(0.02), **keys},
            },
            material={"M": LAW},
        )
        cell.run(300)
        return cell["B.Pose.Z"]

    assert fallen() > 0.015
    assert fallen(ignores=["Parts"]) > 0.015
    assert fallen(ignores=["Ground"]) < 0


def test_two_held_parts_press_on_each_other():
    """Nothing moves under the force: both hands bear it, and it is that of the law."""
    apart = 0.0995
    hands = {f"At{k}": {"position_m": [apart * k, 0, 1]} for k in range(2)}
    cell = cell_of(
        frame=hands,
        body={f"T{k}": ball(1.0, 0.01, position_m=[apart * k, 0, 1]) for k in range(2)},
        collision_object={
            f"Hand{k}": {"on": f"At{k}", "sphere": {"radius_m": 0.03}} for k in range(2)
        },
        constrained_object={
            f"Tool{k}": {"on": f"T{k}", "radius_m": 0.03, "eta": 50} for k in range(2)
        },
        surface={f"S{k}": {"on": f"T{k}", "material": "M", **sphere(0.05)} for k in range(2)},
        material={"M": LAW},
    )
    cell.run(300)
    depth = 0.1 - (cell["T1.Pose.X"] - cell["T0.Pose.X"])
    assert depth == approx(0.5e-3, rel=1e-6)
    assert cell["S1.ContactForce.X"] == approx(1e6 * depth**1.5, rel=1e-6)
    assert cell["Tool1.Force.X"] == approx(-1e6 * depth**1.5, rel=1e-6)


@pytest.mark.parametrize("below", ["tray", "cart"])
def test_a_ball_rests_on_what_is_held_or_guided(below):
    """A tray in a firm grip, a cart that a level slide guides: neither gives way downwards."""
    slide = {"type": "prismatic", "parent": "At", "child": "T", "axis": [1, 0, 0]}
    cell = cell_of(
        frame={"At": {"position_m": [0, 0, 1]}},
        body={
            "T": ball(1.0, 0.01, **({"position_m": [0, 0, 1]} if below == "tray" else {})),
            "B": solid_ball(0.1, 0.02, position_m=[0, 0, 1.03]),
        },
        **(
            {"joint": {"Slide": slide}}
            if below == "cart"
            else {
                "collision_object": {"Hand": {"on": "At", "sphere": {"radius_m": 0.1}}},
                "constrained_object": {"Tray": {"on": "T", "radius_m": 0.1, "eta": 50}},
            }
        ),
        surface={
            "Top": {"on": "T", "material": "M", "box": {"size_m": [0.2, 0.2, 0.02]}},
            "S": {"on": "B", "material": "M", **sphere(0.02)},
        },
        material={"M": LAW},
    )
    cell.run(2000)
    assert cell["S.ContactForce.Z"] == approx(0.1 * G, rel=1e-6)
    assert cell["Top.ContactForce.Z"] == approx(-0.1 * G, rel=1e-6)
