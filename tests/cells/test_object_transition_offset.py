"""object_transition_offset: hangs, falls, hangs, falls, lies, falls."""

import numpy as np
import pytest
from pytest import approx


@pytest.mark.parametrize("name", ["object_transition_offset", "object_transition_offset_eta25"])
def test_it_hangs_falls_hangs_falls_lies_and_falls(run_cell, name):
    trace = run_cell(name, 3.0)
    changes = trace.partners("Object")
    assert [partner for _, partner in changes] == ["Upper", "", "Lower", "", "Table", ""]
    times = [seconds for seconds, _ in changes]
    assert times[1] == 1.0 and times[3] == 2.0 and times[5] == 2.5
    assert times[2] == approx(1.43, abs=1e-9)
    assert 2.25 < times[4] < 2.30
    height = trace["Object.Pose.Z"]
    ticks = [round(seconds * 1000) for seconds in times]
    assert 0.8 < height[ticks[1]] - height[ticks[2]] < 1.0
    assert 0.3 < height[ticks[3]] - height[ticks[4]] < 0.45


@pytest.mark.parametrize("name", ["object_transition_offset", "object_transition_offset_eta25"])
def test_it_is_caught_softly_where_it_touched(run_cell, name):
    trace = run_cell(name, 3.0)
    # the force starts from nothing at the catch and grows with the transition
    assert abs(trace.at("Object.Force.Z", 1.43)) < 1e-6
    assert abs(trace.at("Object.Force.Z", 1.431)) < 1.0
    # it overshoots, is not dropped for it, and is back where it was caught before 2 s
    caught = trace.at("Object.Pose.Z", 1.43)
    assert trace["Object.Pose.Z"][1430:2000].min() < caught - 0.3
    assert trace.at("Object.Pose.Z", 1.999) == approx(caught, abs=1e-3)


def test_a_larger_eta_pulls_harder_and_overshoots_less(run_cell):
    hard = run_cell("object_transition_offset", 3.0)
    soft = run_cell("object_transition_offset_eta25", 3.0)
    caught = slice(1430, 2000)
    assert hard["Object.Force.Z"][caught].max() > 1.4 * soft["Object.Force.Z"][caught].max()
    assert hard["Object.Pose.Z"][caught].min() > soft["Object.Pose.Z"][caught].min() + 0.1


@pytest.mark.parametrize("count", [5, 10])
def test_many_objects_each_do_what_one_does_alone(run_cell, count):
    one = run_cell("object_transition_offset", 3.0)
    many = run_cell(f"object_transition_offset_{count}", 3.0)
    for k in range(1, count + 1):
        for signal in ("Pose.Z", "Force.Z", "Force.X", "Torque.Y", "Partner"):
            if signal == "Partner":
                expected = [(t, f"{p}{k}" if p else "") for t, p in one.partners("Object")]
                assert many.partners(f"Object{k}") == expected
            else:
                own = one[f"Object.{signal}"]
                # the same sums in the same order: shifted along y by whole metres, bit for bit
                # but for what the shift itself rounds
                scale = max(1.0, np.abs(own).max())
                assert many[f"Object{k}.{signal}"] == approx(own, abs=1e-9 * scale)
