"""Commands on their way to the tick: batches stay whole, pulses are never lost."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twincell.server.realtime.shared.command_queue import (
    CAPACITY,
    MOST_BATCHES,
    MOST_ENTRIES,
    TIMELINE_OFF,
    CommandQueue,
    QueueArrays,
)
from twincell.server.realtime.shared.link import Link

N_COMMAND = 4


@pytest.fixture
def queue():
    return Link(1, 300).commands


@pytest.fixture
def values():
    return np.zeros(N_COMMAND)


def small_queue(capacity):
    ints = [np.zeros(n, dtype=np.int64) for n in (capacity, capacity, 1, 1)]
    return CommandQueue(QueueArrays(ints[0], ints[1], np.zeros(capacity), ints[2], ints[3]))


def test_a_command_is_latched_by_the_next_tick(queue, values):
    assert queue.put([(2, 1.5)]) and queue.waiting == 1
    assert not queue.latch(values)
    assert values.tolist() == [0, 0, 1.5, 0] and queue.waiting == 0


def test_an_empty_queue_and_an_empty_batch_change_nothing(queue, values):
    assert queue.put([])
    assert not queue.latch(values)
    assert values.tolist() == [0, 0, 0, 0]


def test_a_pulse_is_never_lost(queue, values):
    queue.put([(0, 1.0)])
    queue.put([(0, 0.0)])
    queue.put([(0, 1.0)])
    seen = []
    for _ in range(4):
        queue.latch(values)
        seen.append(values[0])
    assert seen == [1, 0, 1, 1]


def test_a_batch_takes_effect_as_a_whole(queue, values):
    queue.put([(0, 1.0)])
    queue.put([(0, 0.0), (1, 7.0)])  # the first part has to wait, so the second waits too
    queue.latch(values)
    assert values.tolist() == [1, 0, 0, 0]
    queue.latch(values)
    assert values.tolist() == [0, 7, 0, 0]


def test_nothing_overtakes_a_batch_that_waits(queue, values):
    for batch in ([(0, 1.0)], [(0, 0.0)], [(3, 5.0)]):
        queue.put(batch)
    queue.latch(values)
    assert values.tolist() == [1, 0, 0, 0]
    queue.latch(values)
    assert values.tolist() == [0, 0, 0, 5]


def test_changes_of_different_commands_are_latched_together(queue, values):
    for command in range(N_COMMAND):
        queue.put([(command, 1.0)])
    queue.latch(values)
    assert values.tolist() == [1, 1, 1, 1]


def test_a_value_that_changes_nothing_does_not_wait(queue, values):
    queue.put([(0, 1.0)])
    queue.put([(0, 1.0), (1, 2.0)])
    queue.put([(2, 0.0)])
    queue.latch(values)
    assert values.tolist() == [1, 2, 0, 0] and queue.waiting == 0


def test_of_two_values_in_one_batch_the_last_one_counts(queue, values):
    queue.put([(0, 1.0), (0, 3.0)])
    queue.latch(values)
    assert values[0] == 3


def test_latching_twice_before_a_tick_loses_no_pulse_either(queue, values):
    changed: set[int] = set()
    queue.put([(0, 1.0)])
    queue.latch(values, changed)
    queue.put([(0, 0.0)])
    queue.put([(1, 4.0)])
    queue.latch(values, changed)
    assert values.tolist() == [1, 0, 0, 0] and changed == {0}
    changed.clear()  # the tick
    queue.latch(values, changed)
    assert values.tolist() == [0, 4, 0, 0] and changed == {0, 1}


def test_the_end_of_the_timeline_comes_with_its_batch(queue, values):
    queue.put([(0, 1.0)])
    queue.put([(TIMELINE_OFF, 1.0), (0, 0.0)])
    assert not queue.latch(values)  # its batch has to wait
    assert queue.latch(values)
    assert not queue.latch(values)
    assert values[-1] == 0  # -1 is no command


def test_a_full_queue_takes_nothing_and_stays_as_it_is(values):
    queue = small_queue(8)
    assert queue.put([(0, 1.0)] * 6)
    assert not queue.put([(1, 1.0)] * 3)
    assert queue.waiting == 6
    assert queue.put([(1, 1.0)] * 2)
    assert not queue.put([(2, 1.0)])
    queue.latch(values)
    assert values.tolist() == [1, 1, 0, 0]
    assert queue.put([(2, 1.0)] * 8) and not queue.put([(2, 1.0)])


def test_a_cleared_queue_is_empty_and_tells_whether_the_timeline_was_to_end(queue, values):
    queue.put([(0, 1.0)])
    assert not queue.clear()
    queue.put([(0, 1.0)])
    queue.put([(TIMELINE_OFF, 1.0), (1, 1.0)])
    assert queue.clear() and queue.waiting == 0
    assert not queue.latch(values) and values.tolist() == [0, 0, 0, 0]
    assert not queue.clear()


def test_a_flood_of_batches_is_latched_bit_by_bit(queue, values):
    for _ in range(MOST_BATCHES + 5):
        queue.put([(0, 1.0)])
    queue.latch(values)
    assert queue.waiting == 5
    queue.latch(values)
    assert queue.waiting == 0


def test_a_flood_of_entries_is_latched_bit_by_bit_but_a_batch_never_in_parts(queue):
    values = np.zeros(3000)
    queue.put([(command, 1.0) for command in range(3000)])
    queue.put([(0, 1.0)])
    queue.latch(values)
    assert values.all() and queue.waiting == 1
    for _ in range(4):
        queue.put([(command, 1.0) for command in range(MOST_ENTRIES)])
    queue.latch(values)
    assert queue.waiting == 3 * MOST_ENTRIES


def test_a_full_queue_does_not_hold_up_the_tick(queue, values):
    for k in range(CAPACITY):
        queue.put([(0, float(k % 2 == 0))])
    best_s = 1.0
    for _ in range(50):
        begin = time.perf_counter()
        queue.latch(values)
        best_s = min(best_s, time.perf_counter() - begin)
    assert best_s < 0.5e-3  # measured: 10 µs; half a tick, for slow machines


@given(
    st.lists(
        st.one_of(
            st.none(),  # a tick
            st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0.0, 1.0, 2.0])), max_size=4),
        ),
        max_size=60,
    )
)
def test_every_change_is_seen_by_a_tick_in_its_order(steps):
    queue, values = small_queue(16), np.zeros(N_COMMAND)
    wanted: list[list[float]] = [[0.0] for _ in range(N_COMMAND)]  # values, one after another
    seen: list[list[float]] = [[0.0] for _ in range(N_COMMAND)]
    for batch in [*steps, *[None] * 16]:
        if batch is None:
            queue.latch(values)
            for command, value in enumerate(values):
                if value != seen[command][-1]:
                    seen[command].append(float(value))
        elif queue.put(batch):
            for command, value in dict(batch).items():
                if value != wanted[command][-1]:
                    wanted[command].append(value)
    assert queue.waiting == 0 and seen == wanted
