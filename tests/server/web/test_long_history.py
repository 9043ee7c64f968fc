"""Trends over minutes: a peak of one tick is in them, and their memory has an end."""

import numpy as np

from twincell.server.realtime.shared.link import Link
from twincell.server.web.data import long_history
from twincell.server.web.data.history import HEADER
from twincell.server.web.data.long_history import LongHistory

STEP_S = 0.001
PEAK_TICK, PEAK = 4_321, 99.0


def run(link: Link, history: LongHistory, ticks: range) -> None:
    """Rows of a slow wave in signal 0 and a peak in signal 1, gathered now and then."""
    for tick in ticks:
        row = link.ring.next_row()[0]
        row[0], row[1] = np.sin(tick * STEP_S), PEAK if tick == PEAK_TICK else 0.0
        link.ring.append(tick, tick * STEP_S, 0, 0)
        if tick % 500 == 0:
            history.gather()
    history.gather()


def shown(history: LongHistory, from_s: float, points: int = 1000) -> tuple[np.ndarray, ...]:
    data = history.span([0, 1], from_s, points)
    count, columns = HEADER.unpack_from(data)
    return tuple(np.frombuffer(data, "<f8", offset=HEADER.size).reshape(columns, count))


def test_a_peak_of_one_tick_that_left_the_ring_long_ago_is_still_seen():
    link = Link(2, n_row=2048)
    history = LongHistory(link, STEP_S, 2)
    run(link, history, range(20_000))
    times, wave, peak = shown(history, from_s=60.0)
    assert times[0] == 0.0
    assert times[-1] >= 19.9
    assert (np.diff(times) >= 0).all()
    assert peak.max() == PEAK
    assert abs(times[peak.argmax()] - PEAK_TICK * STEP_S) <= 0.1  # of its tenth of a second
    assert np.abs(wave - np.sin(times)).max() < 0.11  # a tenth of a second at its steepest
    assert shown(history, from_s=5.0)[0][0] >= 14.9


def test_a_reset_begins_another_story():
    link = Link(2, n_row=2048)
    history = LongHistory(link, STEP_S, 2)
    run(link, history, range(5_000))
    run(link, history, range(1_000))
    times, _, peak = shown(history, from_s=60.0)
    assert times[0] < 0.1
    assert peak.max() == 0.0


def test_a_large_cell_has_a_shorter_memory(monkeypatch):
    monkeypatch.setattr(long_history, "MOST_BYTES", 10 * 2 * 4 * 2)  # ten blocks of two signals
    link = Link(2, n_row=2048)
    history = LongHistory(link, STEP_S, 2)
    run(link, history, range(5_000))
    times, _, _ = shown(history, from_s=60.0)
    assert times[0] >= 3.9
    assert times[-1] >= 4.9
