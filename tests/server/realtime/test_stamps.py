"""Source timestamps: equally spaced, close to the wall clock, never backwards."""

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from asyncua import ua
from hypothesis import given
from hypothesis import strategies as st

from tests.server.realtime.made_up_clock import MadeUpClock
from twincell.server.realtime.stamps import Stamps

STEP_S = 0.001
STEP = 10_000  # units of 100 ns


@pytest.fixture
def clock():
    return MadeUpClock()


def test_the_first_stamp_is_the_wall_clock_as_opc_ua_counts_it(clock):
    clock.wall_ns = 1_700_000_000_123_456_700 - clock.now_ns
    stamp = Stamps(STEP_S, clock.wall).of(0)
    as_time = ua.win_epoch_to_datetime(stamp)
    assert as_time.replace(tzinfo=UTC) == datetime(2023, 11, 14, 22, 13, 20, 123456, UTC)
    assert stamp % 10 == 0  # whole microseconds: Read and events, kept by Python, say the same


def test_stamps_are_equally_spaced_whatever_the_clock_does(clock):
    stamps = Stamps(STEP_S, clock.wall)
    first = stamps.of(0)
    for tick in range(1, 2000):
        clock.now_ns += 1_234_567
        assert stamps.of(tick) == first + tick * STEP


@pytest.mark.parametrize("speed", [0.01, 0.5, 1.0, 2.0, 100.0])
def test_the_spacing_is_the_step_divided_by_the_speed(clock, speed):
    stamps = Stamps(STEP_S, clock.wall)
    stamps.anchor(0, speed)
    given = [stamps.of(tick) for tick in range(100)]
    assert {b - a for a, b in pairwise(given)} == {round(STEP / speed)}


def test_a_spacing_that_is_no_whole_number_never_adds_up(clock):
    stamps = Stamps(STEP_S, clock.wall)
    stamps.anchor(0, 3.0)
    given = [stamps.of(tick) for tick in range(30_001)]
    assert given[-1] - given[0] == 30_000 * STEP // 3
    assert {b - a for a, b in pairwise(given)} == {3330, 3340}


def test_a_new_anchor_is_the_wall_clock_again(clock):
    stamps = Stamps(STEP_S, clock.wall)
    first = stamps.of(0)
    clock.now_ns += 7_000_000_000
    stamps.anchor(1, 1.0)
    assert stamps.of(1) == first + 7000 * STEP
    assert stamps.of(2) == first + 7001 * STEP


def test_a_new_anchor_is_never_less_than_a_period_after_the_last_stamp(clock):
    stamps = Stamps(STEP_S, clock.wall)
    first = stamps.of(0)
    clock.wall_ns -= 3_600_000_000_000  # somebody set the clock back by an hour
    stamps.anchor(0, 0.5)
    assert stamps.of(0) == first + 2 * STEP
    stamps.anchor(0, 1.0)
    assert stamps.of(0) == first + 3 * STEP


def test_a_step_while_paused_is_one_step_after_the_last_stamp(clock):
    stamps = Stamps(STEP_S, clock.wall)
    stamps.anchor(0, 4.0)
    last = stamps.of(10)
    clock.now_ns += 60_000_000_000
    stamps.follow(11)
    assert [stamps.of(11), stamps.of(12)] == [last + STEP, last + 2 * STEP]


def test_a_restarted_loop_goes_on_after_the_last_stamp_of_the_one_before(clock):
    ahead = Stamps(STEP_S, clock.wall).of(0) + 5_000_000
    assert Stamps(STEP_S, clock.wall, last=ahead).of(0) == ahead + STEP


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["anchor", "follow", "ticks"]),
            st.floats(0.01, 100),
            st.integers(-5_000_000_000, 5_000_000_000),
            st.integers(1, 20),
        ),
        max_size=30,
    )
)
def test_stamps_never_go_backwards(changes):
    clock = MadeUpClock()
    stamps = Stamps(1e-6, clock.wall)  # as short a step as to be less than a unit when sped up
    tick, last = 0, -1
    for change, speed, wall_ns, ticks in changes:
        clock.wall_ns += wall_ns
        if change == "anchor":
            tick = 0
            stamps.anchor(tick, speed)
        elif change == "follow":
            stamps.follow(tick)
        for _ in range(ticks):
            stamp = stamps.of(tick)
            assert stamp >= last
            tick, last = tick + 1, stamp
