"""Mistakes about contact: each is named with its key, and what to do."""

import pytest

from twincell.sim.spec import SpecError, load_text

HEAD = """name = "Contact"
[frame.Floor]
[body.B]
mass_kg = 1
inertia_kg_m2 = [1, 1, 1]
[surface.F]
on = "Floor"
material = "steel"
half_space = {}
"""
SURFACE = '[surface.S]\non = "B"\nmaterial = "steel"\nsphere = { radius_m = 0.1 }\n'
MATERIAL = "[material.M]\nstiffness = 1e6\nstatic_friction = 0.3\n"


def mistakes(text):
    with pytest.raises(SpecError) as caught:
        load_text(HEAD + text)
    return {problem.key: (problem.text, problem.hint) for problem in caught.value.problems}


def test_a_good_file_has_none():
    watched = '[watched_contact.W]\nsurfaces = ["S", "F"]\n'
    load_text(HEAD + SURFACE + MATERIAL + watched)


@pytest.mark.parametrize(
    ("text", "key", "says", "hint"),
    [
        (SURFACE.replace("steel", "stel"), "surface.S.material", "no material", "mean steel"),
        (SURFACE + 'ignores = ["Walls"]\n', "surface.S.ignores[0]", "no surface", "everything"),
        (SURFACE + "box = { size_m = [1, 1, 1] }\n", "surface.S.box", "2 shapes", "keep one"),
        (SURFACE.replace('"B"', '"C"'), "surface.S.on", "called C", "known: Floor, B"),
        ('[surface.S]\non = "B"\nmaterial = "steel"\n', "surface.S", "no shape", "give one of"),
        (SURFACE.replace("steel", "rubber") + '[surface.T]\non = "B"\nmaterial = "copper"\n'
         "sphere.radius_m = 1\n", "surface.S.material", "copper on rubber", "[pairing.Name]"),
        (MATERIAL + "kinetic_friction = 0.4\n", "material.M.kinetic_friction", "above", "no more"),
        (MATERIAL + "kinetic_friction = 0.1\n", "material.M.slide_speed_m_s", "one speed", "more"),
        (MATERIAL + "slide_speed_m_s = 1e-5\n", "material.M.slide_speed_m_s", "below", "after"),
        (MATERIAL + "viscous_friction_s_m = 1e3\n", "material.M.viscous_friction_s_m", "so large",
         "stay below"),
        (MATERIAL + "exponent = 0.5\n", "material.M.exponent", "at least 1", "normal force"),
        (MATERIAL.replace("1e6", "0"), "material.M.stiffness", "greater than 0", "normal force"),
        ('[pairing.P]\nbetween = ["steel", "M"]\nstiffness = 1\n', "pairing.P.between[1]",
         "no material", "known"),
        ('[pairing.P]\nbetween = ["steel"]\nstiffness = 1\n', "pairing.P.between", "two names",
         "materials"),
        ('[pairing.P]\nbetween = ["steel", "wood"]\nstiffness = 1\n'
         '[pairing.Q]\nbetween = ["wood", "steel"]\nstiffness = 1\n', "pairing.Q.between",
         "pairing.P in line", "keep one"),
        ('[watched_contact.W]\nsurfaces = ["F", "G"]\n', "watched_contact.W.surfaces[1]",
         "no surface", "known: F"),
        ('[watched_contact.W]\nsurfaces = ["F", "F"]\n', "watched_contact.W.surfaces", "itself",
         "two surfaces"),
        (SURFACE + "ignores = [1]\n", "surface.S.ignores", "a list of names", "groups"),
    ],
)  # fmt: skip
def test_each_mistake_is_named_with_a_hint(text, key, says, hint):
    found = mistakes(text)
    assert key in found, found
    assert says in found[key][0]
    assert hint in found[key][1]


def test_a_material_may_bear_a_known_name():
    own = MATERIAL.replace("M]", "aluminium]")
    load_text(HEAD + SURFACE.replace("steel", "aluminium") + own)
    load_text(HEAD.replace("steel", "glass") + SURFACE.replace("steel", "aluminium") + own)
