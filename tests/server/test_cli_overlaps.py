"""twincell warns of surfaces that overlap at the start: which two, how deep, and what to do."""

import pytest

SUNK = """\
name = "Sunk"

[frame.Table]

[body.Box]
mass_kg = 2.0
inertia_kg_m2 = [0.01, 0.01, 0.01]
position_m = [0, 0, 0.03]

[material.Plastic]
stiffness = 1e4
exponent = 1

[surface.TableTop]
on = "Table"
material = "Plastic"
half_space = {}

[surface.BoxSkin]
on = "Box"
material = "Plastic"
box = { size_m = [0.1, 0.1, 0.1] }
"""
WARNING = """\
warning: {file}:19: surface.BoxSkin: overlaps TableTop by 20 mm at the start: it is pushed out
  hint: start Box 20 mm further along [0, 0, 1], or let one surface ignore the other's group
"""


@pytest.mark.parametrize("words", [("check",), ("simulate", "--until", "0.002")])
def test_the_pair_and_the_depth_are_told_with_the_remedy(twincell, tmp_path, words):
    (tmp_path / "sunk.toml").write_text(SUNK)
    ended = twincell(words[0], "sunk.toml", *words[1:])
    assert ended.code == 0
    assert WARNING.format(file="sunk.toml") in ended.err


def test_the_remedy_works(twincell, tmp_path):
    (tmp_path / "sunk.toml").write_text(SUNK.replace("0.03]", "0.05]"))
    ended = twincell("check", "sunk.toml")
    assert "warning" not in ended.err
    assert ended.out.startswith("ok: Sunk: ")


def test_behind_a_thin_face_it_is_told_that_nothing_holds(twincell, tmp_path):
    table = "rectangle = { length_m = 1, width_m = 1 }"
    (tmp_path / "sunk.toml").write_text(SUNK.replace("half_space = {}", table))
    ended = twincell("check", "sunk.toml")
    assert (
        "reaches 20 mm behind the front of TableTop at the start, deeper than its layer of 5 mm"
        in (ended.err)
    )


def test_of_many_pairs_the_deepest_are_told(twincell, tmp_path):
    more = "".join(
        f"[body.B{k}]\nmass_kg = 1\ninertia_kg_m2 = [1, 1, 1]\nposition_m = [{k + 1}, 0, 0.05]\n"
        f'[surface.S{k}]\non = "B{k}"\nmaterial = "Plastic"\nsphere = {{ radius_m = 0.1 }}\n'
        for k in range(12)
    )
    (tmp_path / "sunk.toml").write_text(SUNK + more)
    told = twincell("check", "sunk.toml").err.splitlines()
    assert sum("overlaps TableTop by 50 mm" in line for line in told) == 10
    assert told[-1] == "... and 3 more pairs overlap"
