"""The schedule of the ticks: no drift, no spiral, every lateness told."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.server.realtime.made_up_clock import MadeUpClock
from twincell.server.realtime.clock import REAL_TIME
from twincell.server.realtime.pace import (
    LONGEST_LAG_NS,
    LONGEST_LAG_PERIODS,
    LONGEST_SLEEP_NS,
    LONGEST_WORK_NS,
    REST_NS,
    Pace,
)

MS = 1_000_000


@pytest.fixture
def clock():
    return MadeUpClock()


def pace_of(clock, period_ns=MS):
    return Pace(period_ns, clock.monotonic, clock.sleep)


def test_a_tick_is_due_every_period_after_the_start(clock):
    start = clock.now_ns
    pace = pace_of(clock)
    for tick in range(1, 6):
        clock.now_ns += 200_000  # what the tick before took
        assert pace.wait() == 0
        assert clock.now_ns == start + tick * MS
    assert clock.slept_ns == [MS - 200_000] * 5
    assert (pace.overruns, pace.slips) == (0, 0)


def test_lateness_is_how_long_after_the_deadline_it_woke_up(clock):
    pace = pace_of(clock)
    clock.wakes_late_ns = 70_000
    assert [pace.wait() for _ in range(5)] == [70_000] * 5  # and it does not add up


@pytest.mark.parametrize("speed", [3, 7, 0.3, 99.9])
def test_no_rounding_adds_up(clock, speed):
    start, period_ns = clock.now_ns, MS / speed
    pace = pace_of(clock, period_ns)
    for _ in range(10_000):
        while pace.wait() is None:
            pass
    assert clock.now_ns - start == round(10_000 * period_ns)


def test_after_a_late_tick_it_catches_up_without_sleeping(clock):
    start = clock.now_ns
    pace = pace_of(clock)
    pace.wait()
    clock.now_ns += 5 * MS + MS // 2  # a tick of five and a half periods
    slept = len(clock.slept_ns)
    lateness = [pace.wait() for _ in range(5)]
    assert lateness == [(9 - 2 * k) * MS // 2 for k in range(5)]  # 4.5 ms, 3.5 ms, ...
    assert len(clock.slept_ns) == slept
    assert pace.wait() == 0 and clock.now_ns == start + 7 * MS  # back on the old schedule
    assert pace.slips == 0


def test_an_overrun_is_a_tick_that_ended_after_the_next_one_was_due(clock):
    pace = pace_of(clock)
    pace.wait()
    clock.now_ns += MS  # just in time
    pace.wait()
    assert pace.overruns == 0
    clock.now_ns += MS + 1
    pace.wait()
    assert pace.overruns == 1
    pace.wait()  # took no time at all, and the lag is gone
    assert pace.overruns == 1


def test_a_late_awakening_alone_is_no_overrun(clock):
    pace = pace_of(clock)
    clock.wakes_late_ns = MS // 2
    for _ in range(10):
        pace.wait()
        clock.now_ns += MS // 4
    assert pace.overruns == 0


@pytest.mark.parametrize(
    ("period_ns", "bound_ns"),
    [
        (MS, LONGEST_LAG_NS),
        (MS // 100, LONGEST_LAG_NS),  # fast: as long a stall as at normal speed
        (100 * MS, LONGEST_LAG_PERIODS * 100 * MS),  # slow: as many ticks
    ],
)
@pytest.mark.parametrize("slips", [0, 1])
def test_a_lag_beyond_the_bound_is_given_up(clock, period_ns, bound_ns, slips):
    start, pace = clock.now_ns, pace_of(clock, period_ns)
    for _ in range((period_ns - 1) // LONGEST_SLEEP_NS):
        assert pace.wait() is None
    clock.wakes_late_ns = bound_ns + slips  # a nanosecond decides
    assert pace.wait() == bound_ns + slips and pace.slips == slips
    clock.wakes_late_ns = 0
    while pace.wait() is None:
        pass
    if slips:  # the late tick counts as on time, and the next one comes a period after it
        assert clock.now_ns == start + period_ns + bound_ns + 1 + period_ns
    else:
        assert clock.now_ns == start + period_ns + bound_ns
    assert (pace.slips, pace.overruns) == (slips, 1 - slips)


def test_a_loop_that_is_always_too_slow_never_falls_behind_for_ever(clock):
    pace = pace_of(clock)
    for _ in range(1000):
        clock.now_ns += 3 * MS  # each tick takes three periods
        late = pace.wait()
        assert late is not None and late <= LONGEST_LAG_NS + 3 * MS + REST_NS
    assert pace.overruns == 1000
    assert 1000 * 2 * MS // (LONGEST_LAG_NS + 3 * MS + REST_NS) <= pace.slips <= 60


def test_a_loop_that_is_always_too_slow_leaves_a_sixth_of_its_core_to_others(clock):
    start = clock.now_ns
    pace = pace_of(clock, MS / 100)
    for _ in range(100_000):
        clock.now_ns += MS // 20
        pace.wait()
    assert 0.15 < sum(clock.slept_ns) / (clock.now_ns - start) < 1 / 6
    assert max(clock.slept_ns) == REST_NS


def test_catching_up_a_stall_needs_no_rest(clock):
    pace = pace_of(clock)
    clock.wakes_late_ns = LONGEST_LAG_NS  # a stall
    pace.wait()
    clock.wakes_late_ns = 0
    slept = len(clock.slept_ns)
    for _ in range(50):
        clock.now_ns += MS // 20
        pace.wait()
    assert len(clock.slept_ns) == slept and LONGEST_WORK_NS > 50 * MS // 20


def test_a_restart_begins_a_new_schedule_with_a_new_period(clock):
    pace = pace_of(clock)
    pace.wait()
    clock.now_ns += 123_456
    pace.restart(MS / 2)
    start = clock.now_ns
    assert pace.wait() == 0 and clock.now_ns == start + MS // 2
    assert pace.overruns == 0


def test_a_long_wait_is_made_of_short_sleeps(clock):
    start = clock.now_ns
    pace = pace_of(clock, 50 * MS)
    clock.wakes_late_ns = 1000
    assert [pace.wait(), pace.wait()] == [None, None]
    assert pace.wait() == 1000 and clock.now_ns == start + 50 * MS + 1000
    assert max(clock.slept_ns) == LONGEST_SLEEP_NS


def test_a_short_sleep_that_ends_too_late_is_no_overrun(clock):
    pace = pace_of(clock, LONGEST_SLEEP_NS + 10)
    clock.wakes_late_ns = 9
    assert pace.wait() is None
    clock.now_ns += 100
    assert pace.wait() == 99
    assert pace.overruns == 0


@given(
    speed=st.floats(0.01, 100),
    works_ns=st.lists(st.integers(0, 200 * MS), min_size=1, max_size=50),
)
def test_whatever_the_ticks_take_none_begins_before_it_is_due(speed, works_ns):
    clock = MadeUpClock()
    pace = pace_of(clock, MS / speed)
    began_ns = clock.now_ns
    for tick, work_ns in enumerate(works_ns, 1):
        clock.now_ns += work_ns
        while (late_ns := pace.wait()) is None:
            pass
        assert late_ns >= 0 and pace.now_ns == clock.now_ns
        # slips only ever move the schedule to later
        assert clock.now_ns >= began_ns + int(tick * MS / speed)


def test_the_real_sleep_never_wakes_up_early():
    pace = Pace(MS, REAL_TIME.monotonic, REAL_TIME.sleep)
    begin = time.monotonic_ns()
    for tick in range(1, 51):
        late_ns = pace.wait()
        assert late_ns is not None and late_ns >= 0
        if not pace.slips:
            assert time.monotonic_ns() >= begin + tick * MS - 10_000  # the pace began before us
