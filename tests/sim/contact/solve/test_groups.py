"""The order of a group: islands upwards, and whom each body passes forces on to."""

from typing import NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from twincell.sim.contact.solve.groups import _list_passes, _sort_upwards
from twincell.sim.model import NONE, Ints


class Contacts(NamedTuple):
    member: Ints
    block: Ints
    body: Ints
    joined: Ints
    next_joined: Ints
    later_start: Ints
    later: Ints
    earlier_start: Ints
    earlier: Ints


def ints(*values):
    return np.array(values, dtype=np.intp)


def room(*shape):
    return np.full(shape, -9, dtype=np.intp)


def test_a_contact_is_passed_on_once_forwards_and_once_back_and_twice_within_a_block():
    # 0 and 1 are links of one robot, 2 is a part; 0 touches 2, 2 touches 1, and 0 touches 1
    contacts = Contacts(
        member=ints(0, 1, 2),
        block=ints(0, 0, 1),
        body=ints([0, 2], [2, 1], [0, 1]),
        joined=ints(0, 1, 0),
        next_joined=ints([2, 1], [NONE, 2], [NONE, NONE]),
        later_start=room(4),
        later=room(3, 3),
        earlier_start=room(4),
        earlier=room(6, 3),
    )
    _list_passes(contacts, 3)
    # point, side of the body, body on the other side
    assert contacts.later_start.tolist() == [0, 1, 2, 2]
    assert contacts.later[:2].tolist() == [[0, 0, 2], [1, 1, 2]]
    assert contacts.earlier_start.tolist() == [0, 1, 2, 4]
    assert contacts.earlier[:4].tolist() == [[2, 0, 1], [2, 1, 0], [0, 1, 0], [1, 0, 1]]


@settings(deadline=None, max_examples=100, derandomize=True, database=None)
@given(st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=70))
def test_roots_are_sorted_by_height(heights):
    n = len(heights)
    c_W = np.zeros((n, 3))
    c_W[:, 2] = heights
    roots = np.arange(n)[::-1].copy()
    _sort_upwards(roots, n, c_W)
    assert sorted(roots.tolist()) == list(range(n))
    assert (np.diff(c_W[roots, 2]) >= 0.0).all()
