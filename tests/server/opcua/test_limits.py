"""Limits: what a cell file may set them to, and what it is told when it may not."""

import math
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twincell.server.opcua.limits import ORDERED, Limits, range_of

PAGE = Path(__file__).parents[3] / "docs" / "server" / "limits.md"
LIMITS = {limit.name: limit for limit in fields(Limits)}
ROW = re.compile(r"^\| `(\w+)` \| (\S+) \| (\S+ to \S+) \|", flags=re.MULTILINE)


def numbers(name: str) -> st.SearchStrategy[Any]:
    """Every number of the right kind that a limit may be set to."""
    least, most = range_of(LIMITS[name])
    if LIMITS[name].type is int:
        return st.integers(int(least), int(most))
    return st.floats(least, most) | st.integers(math.ceil(least), math.floor(most))


def other_numbers(name: str) -> st.SearchStrategy[Any]:
    """Numbers of the right kind, out of range."""
    least, most = range_of(LIMITS[name])
    if LIMITS[name].type is int:
        return st.integers(max_value=int(least) - 1) | st.integers(min_value=int(most) + 1)
    below = st.floats(max_value=least, exclude_max=True, allow_nan=False)
    above = st.floats(min_value=most, exclude_min=True, allow_nan=False)
    return below | above | st.just(math.nan)


names = st.sampled_from(sorted(LIMITS))
tables = st.fixed_dictionaries({}, optional={name: numbers(name) for name in LIMITS})


def refusal(table: dict[str, Any]) -> str:
    with pytest.raises(ValueError) as refused:
        Limits.from_table(table)
    return str(refused.value)


def test_an_empty_table_changes_nothing():
    assert Limits.from_table({}) == Limits()


@pytest.mark.parametrize("limit", LIMITS.values(), ids=LIMITS)
def test_a_default_is_within_its_range_and_of_its_type(limit: Any):
    least, most = range_of(limit)
    assert least <= limit.default <= most
    assert type(limit.default) is limit.type


@pytest.mark.parametrize(("low", "high"), ORDERED)
def test_defaults_that_belong_together_do_not_cross(low: str, high: str):
    assert getattr(Limits(), low) <= getattr(Limits(), high)


@given(tables)
def test_numbers_within_their_ranges_are_taken_unless_they_cross(table: dict[str, Any]):
    wanted = {name: limit.default for name, limit in LIMITS.items()} | table
    crossed = [low for low, high in ORDERED if wanted[low] > wanted[high]]
    if crossed:
        told = refusal(table).splitlines()
        assert [line.split(":")[0] for line in told] == crossed
        return
    limits = Limits.from_table(table)
    for name, limit in LIMITS.items():
        assert getattr(limits, name) == wanted[name]
        assert type(getattr(limits, name)) is limit.type


@given(st.data())
def test_a_number_out_of_range_is_refused_with_the_range(data: st.DataObject):
    name = data.draw(names)
    value = data.draw(other_numbers(name))
    told = refusal({name: value})
    assert told.startswith(f"{name}: {value} ")
    assert told.endswith(str(range_of(LIMITS[name])))


@given(names, st.none() | st.booleans() | st.text() | st.lists(st.integers()))
def test_what_is_no_number_is_refused_with_the_range(name: str, value: Any):
    told = refusal({name: value})
    assert told.startswith(f"{name}: {value!r} is not a ")
    assert told.endswith(str(range_of(LIMITS[name])))


def test_half_a_session_is_refused():
    assert refusal({"sessions": 10.5}) == (
        "sessions: 10.5 is not a whole number; it may be 4 to 1000"
    )


def test_a_misspelt_limit_is_refused_with_the_right_name():
    told = refusal({"session": 10})
    assert told == "session: there is no such limit (10); did you mean sessions?"


@given(st.text().filter(lambda name: name not in LIMITS))
def test_an_unknown_limit_is_refused(name: str):
    assert refusal({name: 1}).startswith(f"{name}: there is no such limit")


def test_everything_that_is_wrong_is_told_at_once():
    told = refusal({"sessions": 0, "chunks": "many", "sessions_per_user": 3})
    assert [line.split(":")[0] for line in told.splitlines()] == [
        "sessions",
        "chunks",
        "sessions_per_user",
    ]


def test_a_hundred_sessions_fit_by_default():
    limits = Limits()
    assert limits.sessions >= 100
    assert min(limits.connections, limits.connections_per_address) >= 100


def test_the_longest_message_fits_into_the_chunks_of_the_smallest_client():
    assert Limits().chunks * (8192 - 512) >= Limits().message_bytes  # 512: headers, a signature


def test_the_page_lists_every_limit_as_it_is():
    listed = ROW.findall(PAGE.read_text(encoding="utf-8"))
    assert listed == [
        (name, str(limit.default), str(range_of(limit))) for name, limit in LIMITS.items()
    ]
