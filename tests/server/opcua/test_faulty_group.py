"""However often a client looks, it is told the same of signals with faults."""

from typing import Any

import numpy as np
from asyncua import ua
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.server.opcua.test_sampling import decoded
from twincell.server.opcua.command.force import Force
from twincell.server.opcua.fault.protocol_fault import Kind, SignalFault
from twincell.server.opcua.space.layout import DOUBLE
from twincell.server.opcua.space.variable import Variable
from twincell.server.opcua.subscription.faulty_group import FaultyGroup
from twincell.server.opcua.subscription.sample_choice import Trigger
from twincell.server.opcua.subscription.sample_encoding import Times
from twincell.server.opcua.subscription.sampling import Asked, Moment
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.ring import Ring, Row
from twincell.sim.signals import Direction, Signal
from twincell.sim.signals import Kind as SignalKind

BAD, FORCED = ua.StatusCodes.BadSensorFailure, ua.StatusCodes.GoodLocalOverride
A = Signal("A", 0, SignalKind.DOUBLE, "", Direction.FEEDBACK, "")
NEVER = 10**9  # a row that no test gets to
TICKS = 60
Told = list[tuple[int, Any]]  # status and value


def append(ring: Ring) -> None:
    """A row of a signal that counts them."""
    number = ring.written
    ring.next_row()[0] = number
    ring.append(number, number * 0.001, number, 0)


def told(
    kind: Kind, amount: float, period: int, trigger: Trigger, during: range, looks: set[int]
) -> Told:
    """What an item tells if it looks after some ticks, and after the last one."""
    ring = Link(1, 512).ring
    append(ring)
    nothing = Row(np.zeros(3), 0)
    terms = (kind, "A", amount, np.inf, frozenset(), NEVER, nothing, 0.001, NEVER)
    fault = Force(*terms, signal=A) if kind is Kind.FORCE else SignalFault(*terms)
    group = FaultyGroup(DOUBLE, Times.NEITHER, period, ring, (fault,))
    variable = Variable("A", DOUBLE, (0,))
    asked = Asked(1, variable, 1, Times.NEITHER, period, 1000, True, trigger, 0.0)
    group.add(asked, Moment(1, 0, 0))
    notifications = []
    for tick in range(1, TICKS + 1):
        if tick == during.start:
            newest = ring.newest()
            assert newest is not None
            fault.first, fault.last, fault.end = tick, Row(newest.values[0], 0), None
        if tick == during.stop:
            fault.end = tick
        append(ring)
        if tick in looks or tick == TICKS:
            notifications += decoded(group.take(Moment(tick + 1, 0, 0))[0])
    return [(one.Value.StatusCode.value, one.Value.Value.Value) for one in notifications]


@settings(deadline=None)
@given(
    kind=st.sampled_from(Kind),
    period=st.integers(1, 5),
    trigger=st.sampled_from([Trigger.STATUS_VALUE, Trigger.STATUS_VALUE_TIMESTAMP]),
    begins=st.integers(2, 40),
    lasts=st.integers(1, 15),
    looks=st.sets(st.integers(1, TICKS)),
)
def test_how_often_somebody_looks_makes_no_difference(kind, period, trigger, begins, lasts, looks):
    if kind in (Kind.BAD, Kind.FORCE):
        period = 1  # that a signal is good again is told at once, also between two samples
    amount = {Kind.BAD: 1.0, Kind.DROP: 0.5}.get(kind, 8.0)
    during = range(begins, begins + lasts)
    found = told(kind, amount, period, trigger, during, looks)
    assert found == told(kind, amount, period, trigger, during, set())
    values = [value for status, value in found if status == 0]
    samples = [float(tick) for tick in range(TICKS + 1) if tick % period == 0]
    if kind is Kind.BAD:
        assert values == [one for one in samples if one not in during]
        assert [value for status, value in found if status == BAD] == [begins - 1.0]
    elif kind is Kind.FORCE:
        assert values == [one for one in samples if one not in during]
        forced = [value for status, value in found if status == FORCED]
        every = trigger is Trigger.STATUS_VALUE_TIMESTAMP
        assert forced == [8.0] * (len(set(samples) & set(during)) if every else 1)
    elif kind is Kind.DROP:
        assert values == sorted(values)
        assert set(samples) - set(values) <= set(during)
    else:
        assert values == samples
