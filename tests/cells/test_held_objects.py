"""static_object, dynamic_object, object_release, constraint_actual_position, shapes_to_catch."""

import numpy as np
from pytest import approx

G = 9.81


def test_a_tool_in_its_holder_does_not_move_and_weighs_on_it(run_cell):
    trace = run_cell("static_object", 2.0)
    assert trace.partners("Tool1") == [(0.0, "Holder1")]
    # exact equilibrium: no tolerance but round-off
    assert trace["Tool1.Force.Z"] == approx(G, abs=1e-12)
    assert trace["Holder1.Force.Z"] == approx(-G, abs=1e-12)
    assert np.ptp(trace["Tool1.Pose.Z"]) == 0.0
    assert set(trace["Holder1.Holding"]) == {1.0}


def test_a_swinging_flange_feels_weight_plus_mass_times_acceleration(run_cell):
    trace = run_cell("dynamic_object", 2.0)
    omega = 2 * np.pi
    acceleration = -0.1 * omega**2 * np.sin(omega * trace.time)
    # the held tool follows the flange to RK4's error, h^4 x its fifth derivative
    assert trace["Tool1.Force.Z"] == approx(G + acceleration, abs=1e-6)
    assert trace["Flange.Force.Z"] == approx(-(G + acceleration), abs=1e-6)
    assert trace["Tool1.Deviation"].max() < 1e-9


def test_a_released_part_falls_freely_from_the_tick_of_the_command(run_cell):
    trace = run_cell("object_release", 1.5)
    assert trace.partners("Part") == [(0.0, "Gripper"), (1.0, "")]
    assert trace.at("Part.Force.Z", 0.999) == approx(G, abs=1e-12)
    assert trace.at("Part.Force.Z", 1.0) == 0.0
    fallen = np.maximum(0.0, trace.time - 1.0)
    # a parabola is what RK4 integrates exactly
    assert trace["Part.Pose.Z"] == approx(2.0 - G / 2 * fallen**2, abs=1e-12)


def test_the_offset_decides_whether_a_part_stays_where_it_was_caught(run_cell):
    trace = run_cell("constraint_actual_position", 3.0)
    # free fall over 0.45 m, caught at the next tick
    caught = np.ceil(np.sqrt(2 * 0.45 / G) / 1e-3) * 1e-3
    for name in ("AsIs", "ToCentre"):
        assert trace.partners(name) == [(0.0, ""), (approx(caught, abs=1e-9), "Table")]
        # 2.5 s after the catch its error has decayed by e^-60
        assert trace.at(f"{name}.Deviation", 2.999) < 1e-9
        assert trace.at(f"{name}.Force.Z", 2.999) > 0.0

    # one lies where it met the table, turned as it fell; the other in the table's frame
    assert trace.at("AsIs.Pose.X", 2.999) == approx(0.3, abs=1e-9)
    assert trace.at("AsIs.Pose.Z", 2.999) == approx(0.8, abs=5e-3)  # within one tick's fall
    assert trace.at("AsIs.Pose.A", 2.999) == approx(np.radians(10), abs=1e-9)
    for component in ("X", "Y", "A", "B", "C"):
        assert trace.at(f"ToCentre.Pose.{component}", 2.999) == approx(0.0, abs=1e-9)
    assert trace.at("ToCentre.Pose.Z", 2.999) == approx(0.7, abs=1e-9)

    sideways = [np.abs(trace[f"{name}.Force.X"]).max() for name in ("AsIs", "ToCentre")]
    assert sideways[1] > 10 * sideways[0]
    # the table carries both
    assert trace.at("Table.Force.Z", 2.999) == approx(-2 * G, abs=1e-6)
    assert trace.at("Table.Holding", 2.999) == 2


def test_a_part_goes_from_shape_to_shape_and_stays_where_it_is_put(run_cell):
    trace = run_cell("shapes_to_catch", 9.0)
    partners = [(0.0, "Pallet"), (1.2, "Cup"), (3.8, "Pin"), (5.4, "Cup"), (8.0, "Rail")]
    assert trace.partners("Part") == [(approx(at, abs=1e-9), name) for at, name in partners]
    # caught where it was: the cup carries it 25 mm below itself, and everybody leaves it there
    for at, place in ((1.1, (0.1, 0.05, 0.045)), (4.5, (0.4, 0, 0.12)), (8.9, (0.8, 0.06, 0.14))):
        found = [trace.at(f"Part.Pose.{axis}", at) for axis in "XYZ"]
        assert found == approx(place, abs=1e-6)  # the transition of 0.1 s at eta = 50 has decayed
        assert trace.at("Part.Force.Z", at) == approx(0.2 * G, abs=1e-6)
