"""The loop in a process of its own, on the real clock."""

import multiprocessing
import os
import signal
import time
from contextlib import contextmanager
from itertools import pairwise

import pytest

from twincell.server.realtime.loop import serve_loop
from twincell.server.realtime.process import become_child
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.order_box import Kind, Result
from twincell.server.realtime.shared.vitals import LoopState
from twincell.server.realtime.time_mode import Timing
from twincell.sim.cell import Cell

PATIENCE_S = 60.0  # the machine may be busy with other tests


def wait_until(condition):
    end_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end_s, "waited for too long"
        time.sleep(0.002)


@pytest.fixture
def cell(small_cell):
    cell = Cell.load(small_cell)
    cell.warm_up()
    return cell


def live(parent_pid, cell, link, options):
    become_child(parent_pid)
    timeline = options.pop("timeline", True)
    serve_loop(cell, link, Timing(**options), timeline)


@contextmanager
def loop_process(cell, link, **options):
    forked = multiprocessing.get_context("fork")
    arguments = (os.getpid(), cell, link, options)
    process = forked.Process(target=live, args=arguments, daemon=True)
    process.start()
    try:
        wait_until(lambda: link.vitals.state is not LoopState.DOWN)
        yield process
    finally:
        process.kill()
        process.join()


@pytest.fixture
def link(cell):
    return Link(len(cell.signals))


def answer_to(link, number):
    wait_until(lambda: link.orders.answer_to(number) is not None)
    return link.orders.answer_to(number)


def test_a_second_of_real_time_is_a_thousand_ticks(cell, link):
    with loop_process(cell, link):
        begin_s, first = time.monotonic(), link.ring.written
        assert first >= 1 and link.vitals.text("rights") != ""
        time.sleep(1.0)
        passed_s, rows = time.monotonic() - begin_s, link.ring.written - first
        slips = link.vitals["slips"]
    # ticks follow the clock; a lag of up to 50 ms is still to be caught up, a longer one counts
    assert slips > 0 or abs(rows - 1000 * passed_s) <= 60
    ring = link.ring
    read = ring.read(0, ring.written)
    assert read.values[:, ring.tick_column].tolist() == list(range(ring.written))
    gaps = [b - a for a, b in pairwise(read.stamp.tolist())]
    assert slips > 0 or set(gaps) == {10_000}
    assert (ring.lateness(ring.written) >= 0).all()


def test_the_rows_of_the_process_are_those_of_an_offline_run_bit_for_bit(cell, link, small_cell):
    with loop_process(cell, link):
        wait_until(lambda: link.ring.written >= 150)  # the timeline has closed the flange
    rows = link.ring.read(0, 150).values[:, : link.ring.n_signal]
    assert rows.tobytes() == Cell.load(small_cell).run(150).tobytes()


def test_a_terminated_loop_ends_in_time_and_says_so(cell, link):
    with loop_process(cell, link) as process:
        begin_s = time.monotonic()
        os.kill(process.pid, signal.SIGTERM)
        process.join(PATIENCE_S)
        assert process.exitcode == 0
        assert time.monotonic() - begin_s < 1.0
        assert link.vitals.state is LoopState.DOWN


def test_ctrl_c_and_a_lost_terminal_are_left_to_the_parent(cell, link):
    with loop_process(cell, link) as process:
        for number in (signal.SIGINT, signal.SIGHUP):
            os.kill(process.pid, number)
        rows = link.ring.written
        wait_until(lambda: link.ring.written > rows + 20)
        assert process.is_alive()


def test_a_killed_loop_is_noticed_by_its_silence(cell, link):
    with loop_process(cell, link) as process:
        wait_until(lambda: link.ring.written > 20)
        process.kill()
        process.join()
        rows, beat_ns = link.ring.written, link.vitals["beat_ns"]
        time.sleep(0.1)
        assert (link.ring.written, link.vitals["beat_ns"]) == (rows, beat_ns)
        assert time.monotonic_ns() - beat_ns >= 100_000_000
        # what it left can be read as before, and another loop goes on from there
        assert link.ring.newest().first == rows - 1
    link.vitals["state"] = LoopState.DOWN  # as the supervisor would
    with loop_process(cell, link):
        wait_until(lambda: link.ring.written > rows + 20)
    read = link.ring.read(0, link.ring.written)
    assert read.values[rows, link.ring.tick_column] == 0
    assert all(b > a for a, b in pairwise(read.stamp.tolist()))


def test_orders_and_commands_reach_the_process_and_are_answered(cell, link):
    with loop_process(cell, link, paused=True, timeline=False):
        assert link.ring.written == 1 and link.vitals.state is LoopState.PAUSED
        link.commands.put([(cell.signals["Flange.Closed"].column, 1.0)])
        answer = answer_to(link, link.orders.post(Kind.STEP, 10.0))
        assert answer == (Result.DONE, 11.0, "")
        column = cell.signals["Flange.Closed"].column
        assert link.ring.read(0, 11).values[:, column].tolist() == [0] + [1] * 10
        beat_ns = link.vitals["beat_ns"]
        wait_until(lambda: link.vitals["beat_ns"] > beat_ns)
        assert answer_to(link, link.orders.post(Kind.RESUME)).result is Result.DONE
        wait_until(lambda: link.ring.written > 50)


def test_a_loop_at_ten_times_the_speed_runs_ten_times_the_ticks(cell, link):
    with loop_process(cell, link, speed=10.0):
        wait_until(lambda: link.ring.written > 1000)
    stamp = link.ring.read(0, 1000).stamp
    assert link.vitals["slips"] > 0 or stamp[-1] - stamp[0] == 999 * 1000
