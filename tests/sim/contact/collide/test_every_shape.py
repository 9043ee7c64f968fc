"""Every shape that a surface can have touches every other one: none is forgotten anywhere."""

import typing

import numpy as np
import pytest
from reference import NAMES, random_surface, touch

from twincell.sim.build.shapes import shape_numbers
from twincell.sim.cell import Cell
from twincell.sim.model import HALF_SPACE, SHAPES
from twincell.sim.sizes import most_pairs
from twincell.sim.spec.cell import Body, CellSpec, Frame
from twincell.sim.spec.contact import Material, Surface
from twincell.sim.spec.table import Table

HARD = Material(stiffness=1e6, exponent=1.5, damping=3e5, layer_m=0.02)


def shapes_of_the_cell_file():
    """The fields of a surface that are tables of sizes."""
    found = {}
    for name, hint in typing.get_type_hints(Surface).items():
        for part in typing.get_args(hint):
            if isinstance(part, type) and issubclass(part, Table):
                found[name] = part
    return found


def sized(table):
    """A shape of which all sizes are 0.2 m."""
    sizes = {
        name: (0.2, 0.2, 0.2) if field.annotation is not float else 0.2
        for name, field in table.model_fields.items()
    }
    return table(**sizes)


TABLES = shapes_of_the_cell_file()


def test_every_shape_of_a_cell_file_has_a_number_and_is_tested():
    numbers = [
        shape_numbers(Surface(on="A", material="M", **{name: sized(table)}))[0]
        for name, table in TABLES.items()
    ]
    assert sorted(numbers) == sorted(SHAPES) == sorted(NAMES)


@pytest.mark.parametrize("name", [name for name in TABLES if name != "half_space"])
@pytest.mark.parametrize("floor", TABLES)
def test_every_shape_stands_on_every_floor(name, floor):
    shape, below = sized(TABLES[name]), sized(TABLES[floor])
    upside_down = (180.0, 0.0, 0.0) if name in ("rectangle", "disc") else (0.0, 0.0, 0.0)
    thick = {"sphere": 0.2, "cylinder": 0.1, "capsule": 0.3, "box": 0.1}
    height = thick.get(name, 0.0) + thick.get(floor, 0.0)
    cell = Cell(
        CellSpec(
            name="one on another",
            frame={"Floor": Frame()},
            body={
                "B": Body(
                    mass_kg=1.0,
                    inertia_kg_m2=(0.01, 0.01, 0.01),
                    position_m=(0.0, 0.0, height + 1e-3),
                    orientation_deg=upside_down,
                )
            },
            material={"Hard": HARD},
            surface={
                "F": Surface(on="Floor", material="Hard", **{floor: below}),
                "S": Surface(on="B", material="Hard", **{name: shape}),
            },
        )
    )
    rows = cell.run(40)  # it falls 1 mm within 15 ticks
    assert cell.fault is None
    assert rows[:, cell.signals["S.ContactForce.Z"].column].max() > 0.0
    assert cell["B.Pose.Z"] > height - 5e-3


def test_two_half_spaces_do_not_touch():
    rng = np.random.default_rng(3)
    a, b = (random_surface(rng, HALF_SPACE, 0.1) for _ in range(2))
    assert len(touch(a, b).depth) == 0


def test_a_surface_alone_touches_nothing():
    cell = Cell(
        CellSpec(
            name="alone",
            body={"B": Body(mass_kg=1.0, inertia_kg_m2=(0.01, 0.01, 0.01))},
            material={"Hard": HARD},
            surface={"S": Surface(on="B", material="Hard", sphere=sized(TABLES["sphere"]))},
        )
    )
    assert most_pairs(n_surface=1) == 1  # what is written for each body needs room
    cell.run(10)
    assert cell["S.Contacts"] == 0
