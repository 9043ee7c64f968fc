"""tool_change_single and tool_change_multi: the story of the paper, and its forces."""

import numpy as np
from pytest import approx

G = 9.81


def test_one_robot_takes_the_tool_from_one_holder_to_the_other(run_cell):
    trace = run_cell("tool_change_single", 14.0)
    assert trace.partners("Tool1") == [
        (0.0, "Holder1"),
        (4.0, "Robot1Flange"),
        (10.0, "Holder2"),
    ]
    assert trace.at("Tool1.Pose.X", 13.999) == approx(0.7, abs=1e-9)
    assert trace.at("Tool1.Pose.Y", 13.999) == approx(0.45, abs=1e-9)
    assert trace.at("Tool1.Pose.C", 13.999) == approx(np.pi / 2, abs=1e-9)


def test_two_robots_change_two_tools_and_one_takes_over_the_other_ones(run_cell):
    trace = run_cell("tool_change_multi", 25.0)
    assert trace.partners("Tool1") == [
        (0.0, "Holder1"),
        (4.0, "Robot1Flange"),
        (10.0, "Holder3"),
        (18.5, "Robot2Flange"),
    ]
    assert trace.partners("Tool2") == [
        (0.0, "Holder2"),
        (4.0, "Robot2Flange"),
        (10.0, "Holder4"),
    ]
    # at the end the second robot holds the first tool, up in the air
    assert trace.at("Tool1.Pose.Z", 24.999) == approx(1.5, abs=1e-9)
    assert trace.at("Robot2Flange.Force.Z", 24.999) == approx(-G, abs=1e-9)
    assert trace.at("Holder4.Force.Z", 24.999) == approx(-G, abs=1e-9)


def test_whoever_holds_a_tool_feels_its_load_and_nobody_else_does(run_cell):
    trace = run_cell("tool_change_multi", 25.0)
    holders = [name for name in trace.cell.spec.collision_object]
    total = sum(trace[f"{name}.Force.Z"] for name in holders)
    # all frames are upright: the vertical forces add up to those on the tools, tick by tick
    assert total == approx(-(trace["Tool1.Force.Z"] + trace["Tool2.Force.Z"]), abs=1e-9)
    assert sum(trace[f"{name}.Holding"] for name in holders) == approx(2.0, abs=0)
    for name in holders:
        free = trace[f"{name}.Holding"] == 0
        assert not trace[f"{name}.Force.Z"][free].any()


def test_a_carried_tool_pulls_with_its_weight_and_its_inertia(run_cell):
    trace = run_cell("tool_change_multi", 25.0)
    carried = (trace.time > 4.6) & (trace.time < 5.9)  # Robot1 lifts Tool1 by 0.32 m in 1.5 s
    tau = (trace.time[carried] - 4.5) / 1.5
    lift = 0.32 * 60 * tau * (1 - 3 * tau + 2 * tau**2) / 1.5**2
    # the tool follows the flange to the error of the integrator (sixth derivative of the path)
    assert trace["Robot1Flange.Force.Z"][carried] == approx(-(G + lift), abs=1e-5)


def test_no_tool_jerks_when_it_changes_hands_at_rest(run_cell):
    trace = run_cell("tool_change_multi", 25.0)
    for name in ("Tool1", "Tool2"):
        assert trace[f"{name}.Deviation"].max() < 1e-6
        assert trace[f"{name}.Force.Z"].min() > 0.0  # never weightless
