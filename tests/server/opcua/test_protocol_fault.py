"""Protocol faults by themselves: chance that can be repeated, and rows that arrive in order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twincell.server.opcua.fault.chance import chance, chances
from twincell.server.opcua.fault.pattern import is_meant, variables_meant
from twincell.server.opcua.fault.protocol_fault import Kind, SignalFault
from twincell.server.opcua.fault.seen_row import seen_row
from twincell.server.opcua.space.layout import DOUBLE
from twincell.server.opcua.space.variable import Variable
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.ring import Row
from twincell.sim.signals import Direction, SignalTable
from twincell.sim.signals import Kind as Type
from twincell.sim.signals import Signal as Sig

NO_ROW = Row(np.zeros(3), 0)


def fault(kind: Kind, amount: float, first: int = 0, end: int | None = None) -> SignalFault:
    return SignalFault(kind, "A.*", amount, np.inf, frozenset(), first, NO_ROW, 0.001, end)


def test_chance_is_fair_and_the_same_every_time():
    drawn = chances(7, np.arange(100_000))
    assert ((drawn >= 0.0) & (drawn < 1.0)).all()
    assert drawn.mean() == pytest.approx(0.5, abs=0.005)  # five standard deviations
    assert np.corrcoef(drawn[1:], drawn[:-1])[0, 1] == pytest.approx(0.0, abs=0.016)
    assert drawn[4321] == chance(7, 4321) != chance(8, 4321)


def test_chance_is_splitmix64():
    """The first numbers of the reference implementation with the seed 1234567."""
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    drawn = chances(1234567, np.arange(3))
    assert drawn == pytest.approx([one / 2**64 for one in expected], abs=1e-15)


@pytest.mark.parametrize("kind", [Kind.DELAY, Kind.JITTER])
@settings(deadline=None)
@given(ms=st.integers(1, 50), first=st.integers(0, 1000), rows=st.integers(2, 300))
def test_rows_arrive_in_order_and_never_later_than_promised(kind, ms, first, rows):
    one = fault(kind, float(ms), first)
    arrived = [one.arrived(first + k) for k in range(rows)]
    late = np.arange(first, first + rows) - arrived
    assert (np.diff(arrived) >= 0).all()
    assert (late >= 0).all()
    assert (late <= ms).all()
    assert min(arrived) >= first  # what was there before the fault has arrived
    if kind is Kind.DELAY:
        assert (late == np.minimum(np.arange(rows), ms)).all()


def test_a_fault_that_is_over_delays_nothing():
    assert fault(Kind.DELAY, 20.0, first=10, end=50).arrived(60) == 60


def test_a_share_of_the_rows_of_a_fault_is_lost_and_no_others():
    rows = np.arange(20_000)
    lost = fault(Kind.DROP, 0.25, first=5_000, end=15_000).loses(rows)
    assert not lost[:5_000].any()
    assert not lost[15_000:].any()
    assert lost.sum() == pytest.approx(2_500, abs=220)  # five standard deviations
    assert fault(Kind.BAD, 1.0, first=5, end=9).loses(np.arange(12)).nonzero()[0].tolist() == [
        5,
        6,
        7,
        8,
    ]


def test_the_last_row_is_shown_when_the_ring_has_come_around_since():
    link = Link(1, 512)
    for tick in range(2_000):
        link.ring.next_row()[0] = tick
        link.ring.append(tick, tick * 0.001, tick, 0)
    all_lost = fault(Kind.DROP, 1.0, first=3)
    all_lost.last = Row(np.array([2.0, 2.0, 0.002]), 2)
    row, is_bad = seen_row(link.ring, 2_000, [all_lost])
    assert (row.values[0], row.stamp, is_bad) == (2.0, 2, False)


@pytest.mark.parametrize(
    ("pattern", "name", "meant"),
    [
        ("Tool1.Force.Z", "Tool1.Force.Z", True),
        ("Tool1.*", "Tool1.Force.Z", True),
        ("Tool1.*", "Tool10.Force.Z", False),
        ("Tool?.Force.Z", "Tool1.Force.Z", True),
        ("tool1.*", "Tool1.Force.Z", False),
        ("session PLC [1]", "session PLC [1]", True),
        ("session *", "session PLC", True),
        ("*" * 100 + "a", "b" * 100, False),
        ("*b" * 99 + "a", "b" * 100, False),
    ],
)
def test_patterns_are_those_of_file_names(pattern, name, meant):
    assert is_meant(pattern, name) is meant


def test_levers_are_meant_by_no_pattern():
    lever = Sig("A.Fault.B", 0, Type.DOUBLE, "", Direction.FAULT, "")
    other = Sig("A.C", 1, Type.DOUBLE, "", Direction.FEEDBACK, "")
    variables = [Variable(one.name, DOUBLE, (one.column,)) for one in (lever, other)]
    table = SignalTable([lever, other])
    assert variables_meant("*", variables, table) == {"A.C"}
    assert variables_meant("A.Fault.B", variables, table) == set()
