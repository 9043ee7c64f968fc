"""Numbers that no cell has are refused before anything is computed with them."""

import pytest

from twincell.sim.build import compile_cell
from twincell.sim.spec import SpecError, load_text

CELL = """
name = "x"
step_s = {step}
[frame.Post]
position_m = [{x}, 0, 0]
[body.Part]
mass_kg = {mass}
inertia_kg_m2 = [{inertia}, {inertia}, {inertia}]
[joint.Axis]
type = "prismatic"
parent = "Post"
child = "Part"
axis = [{axis}, 0, 0]
stiffness_n_m = {stiffness}
[mover.Swing]
sine = {{ direction = [0, 0, 1], amplitude_m = 0.1, frequency_hz = {frequency} }}
[collision_object.Jaw]
on = "Swing"
mode = "control"
sphere.radius_m = 0.1
[[timeline]]
at_s = {at}
set = {{ "Jaw.Closed" = true }}
"""
GOOD = {
    "step": 0.001,
    "x": 0.0,
    "mass": 1.0,
    "inertia": 0.01,
    "axis": 1.0,
    "stiffness": 1.0,
    "frequency": 1.0,
    "at": 1.0,
}


def cell(**changes):
    return CELL.format(**(GOOD | changes))


def test_the_cell_is_fine_as_it_is():
    compile_cell(load_text(cell()))


@pytest.mark.parametrize(
    ("changes", "key", "words"),
    [
        ({"x": "1e300"}, "frame.Post.position_m[0]", "1e+300 is too large"),
        ({"mass": "1e-300"}, "body.Part.mass_kg", "1e-300 is too small"),
        ({"mass": "1e300"}, "body.Part.mass_kg", "too large"),
        ({"inertia": "1e-200"}, "body.Part.inertia_kg_m2[0]", "too small"),
        ({"axis": "1e200"}, "joint.Axis.axis[0]", "too large"),
        ({"stiffness": "1e300"}, "joint.Axis.stiffness_n_m", "too large"),
        ({"frequency": "1e308"}, "mover.Swing.sine.frequency_hz", "too large"),
        ({"step": "1e-300"}, "step_s", "too small"),
        ({"at": "1e11"}, "timeline[0].at_s", "steps away"),
    ],
)
def test_a_number_that_no_cell_has_is_named(changes, key, words):
    with pytest.raises(SpecError) as caught:
        load_text(cell(**changes))
    assert any(p.key == key and words in p.text and p.hint for p in caught.value.problems)


def test_rounding_noise_of_a_drawing_program_is_no_mistake():
    load_text(cell(x="6.123e-17"))


def test_waypoints_closer_than_a_step_are_refused():
    text = """
name = "x"
[mover.M]
waypoints = [{ at_s = 0, position_m = [0, 0, 0] }, { at_s = 1e-7, position_m = [0, 0, 1] }]
"""
    with pytest.raises(SpecError, match="less than one step of 1 ms after the waypoint before"):
        load_text(text)
