"""How fast counters grow."""

import pytest

from twincell.server.realtime import rates
from twincell.server.realtime.rates import Rates


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test sets."""
    now = [100.0]
    monkeypatch.setattr(rates.time, "monotonic", lambda: now[0])
    return now


def test_a_rate_is_that_of_the_last_while_and_not_of_all_time(clock):
    ticks = Rates(over_s=1.0)
    for second in range(10):
        clock[0] = 100.0 + second
        ticks.look(1000.0 * second if second < 5 else 5000.0)
    assert ticks.a_second() == (0.0,)
    clock[0] += 0.5
    assert ticks.a_second(5100.0) == pytest.approx((100.0 / 1.5,))


def test_several_counters_are_looked_at_together(clock):
    both = Rates(over_s=1.0)
    both.look(0, 10)
    clock[0] += 0.5
    both.look(500, 20)
    assert both.a_second() == (1000.0, 20.0)
    assert both.looked_s == 100.5


def test_a_counter_that_begins_anew_has_no_rate_yet(clock):
    sent = Rates(over_s=1.0)
    sent.look(50, 1_000_000)
    clock[0] += 0.5
    sent.look(60, 3)
    assert sent.a_second() == (0.0, 0.0)
    clock[0] += 0.5
    sent.look(70, 8)
    assert sent.a_second() == (20.0, 10.0)
