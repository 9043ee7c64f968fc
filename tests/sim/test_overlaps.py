"""Surfaces that overlap at the start are found with their depth; what stands or rests is not."""

import math

import pytest

from twincell.sim.cell import Cell
from twincell.sim.overlaps import overlaps_at_start
from twincell.sim.spec import load_text

BOX = "box = { size_m = [0.1, 0.1, 0.1] }"
BLOCK = "box = { size_m = [1, 1, 0.2] }"
FACES = ["rectangle = { length_m = 1, width_m = 1 }", "disc = { radius_m = 0.5 }"]
GROUNDS = [*FACES, "half_space = {}", BLOCK, "cylinder = { radius_m = 0.5, length_m = 0.2 }"]
PARTS = [
    BOX,
    "sphere = { radius_m = 0.05 }",
    "cylinder = { radius_m = 0.04, length_m = 0.1 }",
    "capsule = { radius_m = 0.02, length_m = 0.06 }",
]  # all reach 50 mm down


def cell_of(ground: str, part: str, sunk_m: float, material: str = "steel", more: str = "") -> Cell:
    """A part on a table whose top is at z = 0, too low by so much."""
    is_thick = ground.startswith(("box", "cylinder"))
    return Cell(
        load_text(f"""
        name = "x"
        {more}
        [frame.Table]
        position_m = [0, 0, {-0.1 if is_thick else 0.0}]
        [body.Part]
        mass_kg = 1.0
        inertia_kg_m2 = [0.01, 0.01, 0.01]
        position_m = [0.02, 0.01, {0.05 - sunk_m}]
        [surface.Top]
        on = "Table"
        material = "{material}"
        {ground}
        [surface.Skin]
        on = "Part"
        material = "{material}"
        {part}
        """)
    )


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("sunk_m", [0.001, 0.02])
def test_a_part_that_starts_inside_the_table_is_named_with_its_depth_and_the_way_out(
    ground, part, sunk_m
):
    (found,) = overlaps_at_start(cell_of(ground, part, sunk_m))
    assert (found.surface, found.other) == ("Skin", "Top")
    assert found.depth_m == pytest.approx(sunk_m, abs=1e-9)
    assert found.way_out == pytest.approx((0, 0, 1), abs=1e-9)
    is_passed = ground in FACES and sunk_m > 0.005
    assert found.layer_m == (0.005 if is_passed else math.inf)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("sunk_m", [-0.1, -1e-6, 0.0, 1e-9])
def test_a_part_above_the_table_or_right_on_it_does_not_overlap(ground, part, sunk_m):
    assert overlaps_at_start(cell_of(ground, part, sunk_m)) == []


@pytest.mark.parametrize("ground", FACES)
def test_a_part_under_a_table_top_does_not_overlap(ground):
    assert overlaps_at_start(cell_of(ground, BOX, sunk_m=0.11)) == []
    assert overlaps_at_start(cell_of(ground, BOX, sunk_m=0.5)) == []


@pytest.mark.parametrize("stiffness", [1e3, 1e5, 1e9])
def test_a_part_that_starts_as_deep_as_its_weight_presses_it_does_not_overlap(stiffness):
    rubber = f"[material.Soft]\nstiffness = {stiffness}\nexponent = 1\n"
    rest_m = 9.81 / (4 * stiffness)  # on four corners
    assert overlaps_at_start(cell_of("half_space = {}", BOX, rest_m, "Soft", rubber)) == []


def test_surfaces_that_ignore_each_other_or_are_held_together_do_not_overlap():
    ignoring = cell_of(BLOCK, BOX + '\nignores = ["everything"]', 0.02)
    assert overlaps_at_start(ignoring) == []
    held = cell_of(
        BLOCK,
        BOX,
        0.02,
        more="""
        [collision_object.Nest]
        on = "Table"
        box = { size_m = [1, 1, 0.2] }
        [constrained_object.Held]
        on = "Part"
        radius_m = 0.05
        eta = 50
        """,
    )
    assert overlaps_at_start(held) == []


def test_the_cell_starts_as_if_nobody_had_looked():
    soft = "[material.Soft]\nstiffness = 1e5\nexponent = 1\n"
    looked_at, not_looked_at = (cell_of(BLOCK, BOX, 0.02, "Soft", soft) for _ in range(2))
    assert len(overlaps_at_start(looked_at)) == 1
    assert (looked_at.run(5) == not_looked_at.run(5)).all()
    assert looked_at.state_hash() == not_looked_at.state_hash()


def test_the_deepest_pair_comes_first():
    cell = Cell(
        load_text(
            'name = "x"\n[frame.Floor]\n[surface.Ground]\non = "Floor"\nmaterial = "steel"\n'
            "half_space = {}\n"
            + "".join(
                f"[body.B{k}]\nmass_kg = 1\ninertia_kg_m2 = [1, 1, 1]\nposition_m = [{k}, 0, {z}]\n"
                f'[surface.S{k}]\non = "B{k}"\nmaterial = "steel"\nsphere = {{ radius_m = 0.1 }}\n'
                for k, z in enumerate([0.09, 0.02, 0.11, 0.05])
            )
        )
    )
    assert [found.surface for found in overlaps_at_start(cell)] == ["S1", "S3", "S0"]
