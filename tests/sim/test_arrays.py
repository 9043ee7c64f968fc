"""A field's declaration says what is allocated, and what fits."""

from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import pytest

from twincell.sim.arrays import (
    Floats,
    Ints,
    Misfit,
    allocate,
    assign,
    check,
    copy_arrays,
    count,
    gather,
    leaves,
    nest,
)
from twincell.sim.build import compile_cell
from twincell.sim.cell import Cell
from twincell.sim.sizes import sizes_of
from twincell.sim.spec import load_cell

CELLS = Path(__file__).parents[2] / "config" / "cells"
SIZES = {"n_wheel": 4, "n_gear": 5}


class Gears(NamedTuple):
    teeth: Annotated[Ints, "n_gear"]
    first: Annotated[Ints, "n_gear + 1"]
    ratio: Annotated[Floats, "n_gear", "n_gear"]


class Cart(NamedTuple):
    time: Annotated[Floats, 1]
    p_W: Annotated[Floats, "n_wheel", 3]
    gears: Gears
    sides: Annotated[Ints, "2 * n_wheel"]


class Road(NamedTuple):
    length: float
    height: Annotated[Floats, "n_wheel"]


class Spokes(NamedTuple):
    length: Annotated[Floats, "n_owner", "n_spoke"]


class Bicycle(NamedTuple):
    spokes: Annotated[Spokes, {"n_owner": "n_wheel", "n_spoke": 36}]


@pytest.fixture
def cart():
    return allocate(Cart, SIZES)


def test_a_tuple_may_be_used_with_sizes_of_other_names():
    bicycle = allocate(Bicycle, {"n_wheel": 2})
    assert bicycle.spokes.length.shape == (2, 36)
    assert count(bicycle) == {"n_wheel": 2}
    assert copy_arrays(bicycle).spokes.length is not bicycle.spokes.length
    other = bicycle._replace(spokes=Spokes(np.zeros((2, 35))))
    with pytest.raises(Misfit, match="spokes"):
        check(other, {"n_wheel": 2})


class Wheel(NamedTuple):
    spokes: Spokes


class NamedWheel(NamedTuple):
    spokes: Annotated[Spokes, {"n_spoke": 36}]


class NumberedWheel(NamedTuple):
    spokes: int


class VagueWheel(NamedTuple):
    spokes: Floats


@pytest.mark.parametrize("wheel", [Wheel, NamedWheel, NumberedWheel, VagueWheel])
def test_a_tuple_of_anything_but_arrays_cannot_be_used_with_sizes_of_other_names(wheel):
    class Tandem(NamedTuple):
        rear: Annotated[wheel, {"n_owner": "n_wheel"}]

    with pytest.raises(Misfit, match=rf"{wheel.__name__}\.spokes is no array"):
        allocate(Tandem, {"n_wheel": 2})


def test_tuples_nest_by_names_that_are_known_later():
    garage = nest("Garage", {"cart": Cart, "bicycle": Bicycle})
    made = allocate(garage, SIZES)
    assert [name for name, _ in leaves(made)][-2:] == ["cart.sides", "bicycle.spokes.length"]


def test_arrays_are_made_as_declared_also_in_tuples_of_tuples(cart):
    assert {name: (array.dtype, array.shape) for name, array in leaves(cart)} == {
        "time": (np.float64, (1,)),
        "p_W": (np.float64, (4, 3)),
        "gears.teeth": (np.intp, (5,)),
        "gears.first": (np.intp, (6,)),
        "gears.ratio": (np.float64, (5, 5)),
        "sides": (np.intp, (8,)),
    }
    assert isinstance(cart, Cart) and isinstance(cart.gears, Gears)
    assert not any(array.any() for _, array in leaves(cart))


def test_numbers_of_each_type_are_filled_in():
    cart = allocate(Cart, SIZES, floats=np.nan, ints=-9)
    assert np.isnan(cart.gears.ratio).all()
    assert (cart.gears.teeth == -9).all()


def test_a_size_that_nobody_counts_is_named_with_its_field():
    with pytest.raises(Misfit, match=r"Gears\.teeth .* n_gear, which is not known"):
        allocate(Cart, {"n_wheel": 4})


def test_a_length_that_is_no_sum_is_named():
    class Odd(NamedTuple):
        x: Annotated[Floats, "n_wheel / 2"]

    with pytest.raises(Misfit, match=r"Odd\.x .* n_wheel / 2, which is not known"):
        allocate(Odd, SIZES)


def test_an_array_cannot_be_declared_without_its_shape():
    class Vague(NamedTuple):
        x: Floats

    with pytest.raises(Misfit, match=r"Vague\.x is declared without a shape"):
        allocate(Vague, {})


def test_a_number_cannot_be_allocated():
    with pytest.raises(Misfit, match=r"Road\.length is no array"):
        allocate(Road, SIZES)


def test_sizes_are_found_in_the_arrays(cart):
    assert count(cart) == SIZES


def test_arrays_that_do_not_agree_about_a_size_are_named(cart):
    odd = cart._replace(gears=cart.gears._replace(ratio=np.zeros((5, 4))))
    with pytest.raises(Misfit, match=r"Cart\.gears\.ratio is float64 \(5, 4\), .*\(5, 5\)"):
        count(odd)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (np.zeros((4, 2)), r"Cart\.p_W is float64 \(4, 2\), declared is float64 \(n_wheel, 3\): "),
        (np.zeros(4), r"Cart\.p_W is float64 \(4,\), declared is .*: \(4, 3\)"),
        (np.zeros((4, 3), np.float32), r"Cart\.p_W is float32 \(4, 3\), declared is float64"),
        (np.zeros((4, 3), np.intp), r"Cart\.p_W is int64 \(4, 3\), declared is float64"),
        (np.zeros((3, 4)).T, r"Cart\.p_W is not C-contiguous"),
        ([0.0], r"Cart\.p_W is a list, declared is float64 \(n_wheel, 3\)"),
    ],
)
def test_what_does_not_fit_is_named_with_what_is_declared(cart, wrong, said):
    with pytest.raises(Misfit, match=said):
        check(cart._replace(p_W=wrong), SIZES)


def test_a_tuple_or_a_number_of_another_type_is_named(cart):
    with pytest.raises(Misfit, match=r"Cart\.gears is a Road, declared is Gears"):
        check(cart._replace(gears=Road(1.0, np.zeros(4))), SIZES)
    with pytest.raises(Misfit, match=r"Road\.length is a int, declared is float"):
        check(Road(1, np.zeros(4)), SIZES)


def test_a_copy_has_the_same_values_in_memory_of_its_own(cart):
    cart.gears.teeth[:] = 7
    copy = copy_arrays(cart)
    cart.gears.teeth[:] = 8
    assert isinstance(copy, Cart) and (copy.gears.teeth == 7).all()
    assign(copy, cart)
    assert (copy.gears.teeth == 8).all()


def test_values_of_other_sizes_are_not_assigned(cart):
    with pytest.raises(Misfit, match=r"Cart\.p_W is float64 \(1, 3\), .*\(4, 3\)"):
        assign(cart, allocate(Cart, {**SIZES, "n_wheel": 1}))


def test_arrays_by_name_are_gathered_where_they_belong(cart):
    again = gather(Cart, dict(reversed(list(leaves(cart)))))
    assert all(a is b for (_, a), (_, b) in zip(leaves(again), leaves(cart), strict=True))


@pytest.mark.parametrize("file", sorted(CELLS.glob("tool_change*.toml")), ids=lambda f: f.stem)
def test_a_cell_fits_its_declaration(file):
    cell = Cell.load(file)
    sizes = sizes_of(cell.model)
    assert sizes["n_body"] == len(cell.compiled.body_names)
    check(cell.state, sizes)
    check(cell.scratch, sizes)


def test_a_mistake_of_the_build_ends_in_compile_cell(monkeypatch):
    spec = load_cell(CELLS / "tool_change_multi.toml")
    constrained = compile_cell(spec).model.constrained
    short = constrained._replace(eta=constrained.eta[:-1])
    monkeypatch.setattr("twincell.sim.build.compile.build_constrained", lambda *_: short)
    with pytest.raises(Misfit, match=r"Model\.constrained\.eta is float64"):
        compile_cell(spec)
