"""Materials become laws: friction curves, combinations, pairings, and what no face could bear."""

import numpy as np
import pytest
from pytest import approx

from twincell.sim.build.contact import build_laws, friction_curve, law_between
from twincell.sim.cell import Cell
from twincell.sim.spec import SpecError, load_text
from twincell.sim.spec.contact import Material
from twincell.sim.spec.contact_presets import ELASTIC, PAIRINGS, known_law, loss_of

CELL = """
name = "Laws"
[frame.Floor]
[body.B]
mass_kg = {mass}
inertia_kg_m2 = [1, 1, 1]
[surface.F]
on = "Floor"
material = "{floor}"
rectangle = {{ length_m = 1, width_m = 1 }}
[surface.S]
on = "B"
material = "{part}"
sphere = {{ radius_m = 0.1 }}
[material.Soft]
stiffness = 1e4
exponent = 1.0
damping = 100
damping_exponent = 0
static_friction = 0.9
layer_m = 0.02
[material.Hard]
stiffness = 1e8
exponent = 1.5
damping = 1e6
static_friction = 0.1
"""


def spec(mass=1.0, floor="Soft", part="Hard", more=""):
    return load_text(CELL.format(mass=mass, floor=floor, part=part) + more)


def test_the_parameters_of_the_friction_curve_are_those_of_the_papers_library():
    law = Material(
        stiffness=1, static_friction=0.03, kinetic_friction=0.02,
        stick_speed_m_s=0.01, slide_speed_m_s=0.1,
    )  # fmt: skip
    gamma = friction_curve(law)
    assert gamma == approx([0.01245912, 200, 30, 0.02, 200, 0], abs=1e-8)


def test_one_speed_and_one_coefficient_leave_no_peak():
    gamma = friction_curve(Material(stiffness=1, static_friction=0.12, stick_speed_m_s=0.01))
    assert gamma == approx([0, 200, 300, 0.12, 200, 0])


def test_a_material_meets_itself_as_the_file_says():
    laws = build_laws(spec(floor="Hard"))
    assert laws.stiffness == approx([1e8])
    assert laws.damping_exponent == approx([1.5])  # m is n when left out


def test_two_materials_are_combined_by_their_means():
    law = law_between(spec(), "Soft", "Hard")
    assert law.stiffness == approx(1e6)
    assert law.damping == approx(1e4)
    assert (law.exponent, law.damping_exponent) == (1.25, 0.75)
    assert law.static_friction == approx(0.3)
    assert law.layer_m == 0.005
    assert law == law_between(spec(), "Hard", "Soft")


def test_a_pairing_replaces_the_combination():
    pairing = '[pairing.Own]\nbetween = ["Hard", "Soft"]\nstiffness = 5.0\n'
    assert law_between(spec(more=pairing, mass=1e-9), "Soft", "Hard").stiffness == 5.0


def test_known_materials_need_no_description():
    laws = build_laws(spec(floor="steel", part="aluminium"))
    static, kinetic, _ = PAIRINGS["aluminium", "steel"]
    law = known_law("steel", "aluminium")
    assert (law.static_friction, law.kinetic_friction) == (static, kinetic)
    assert laws.stiffness[laws.of[0, 1]] == law.stiffness
    # Hertz, steel on steel, a radius of 10 mm
    E = 207e9 / (2 * (1 - 0.3**2))
    assert known_law("steel", "steel").stiffness == approx(4 / 3 * E * np.sqrt(0.01))


@pytest.mark.parametrize("pair", PAIRINGS, ids="-".join)
def test_every_known_pairing_is_sound(pair):
    law = known_law(*pair)
    assert set(pair) <= set(ELASTIC)
    assert list(pair) == sorted(pair)
    speeds = np.linspace(0, 1, 2001)
    g = friction_curve(law)
    mu = g[0] * (np.tanh(g[1] * speeds) - np.tanh(g[2] * speeds)) + g[3] * np.tanh(g[4] * speeds)
    assert (mu >= 0).all()
    assert mu.max() <= law.static_friction * 1.001
    assert mu[-1] == approx(law.kinetic_friction)


def test_the_loss_of_a_restitution_is_the_root_of_the_closed_form():
    assert loss_of(0.7484349316) == approx(0.5, abs=1e-8)


def test_a_body_that_would_sink_through_a_flat_face_is_refused():
    with pytest.raises(SpecError) as caught:
        Cell(spec(mass=1000.0, floor="Soft", part="Soft"))
    (problem,) = caught.value.problems
    assert problem.key == "surface.S"
    assert "it would sink through F" in problem.text
    assert "raise stiffness or layer_m" in problem.hint


STANDING = {
    "a box stands on four points": CELL.replace(
        "sphere = {{ radius_m = 0.1 }}", "box.size_m = [1, 1, 1]"
    ),
    "groups that ignore each other do not meet": CELL.replace(
        "[surface.S]", '[surface.S]\nignores = ["everything"]'
    ),
    "a joint bears what hangs on it": CELL
    + '[joint.J]\ntype = "revolute"\nparent = "Floor"\nchild = "B"\naxis = [0, 1, 0]\n',
}


@pytest.mark.parametrize("text", STANDING.values(), ids=STANDING)
def test_a_body_that_need_not_stand_on_one_point_is_accepted(text):
    Cell(load_text(text.format(mass=30.0, floor="Soft", part="Soft")))


def test_one_point_would_not_have_borne_it():
    with pytest.raises(SpecError, match="sink through F"):
        Cell(spec(mass=30.0, floor="Soft", part="Soft"))
