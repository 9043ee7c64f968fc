"""A wake signal wakes another process up, and never for nothing or too late."""

import gc
import multiprocessing
import os
import threading
import time

import pytest

from twincell.server.realtime.shared.wake_signal import WakeSignal

LONG_NS = 60_000_000_000  # the test would take a minute if nobody rang
SHORT_NS = 1_000_000


def seconds_of(work):
    began = time.monotonic()
    work()
    return time.monotonic() - began


def test_who_waits_is_woken_up():
    wake_signal = WakeSignal()
    threading.Timer(0.02, wake_signal.ring).start()
    assert seconds_of(lambda: wake_signal.wait(LONG_NS)) < 30.0


def test_a_bell_that_was_rung_before_is_not_waited_for():
    wake_signal = WakeSignal()
    wake_signal.ring()
    wake_signal.ring()
    assert seconds_of(lambda: wake_signal.wait(LONG_NS)) < 30.0


def test_a_wait_takes_all_ringing_so_far():
    wake_signal = WakeSignal()
    wake_signal.ring()
    wake_signal.ring()
    wake_signal.wait(LONG_NS)
    assert seconds_of(lambda: wake_signal.wait(SHORT_NS * 20)) >= 0.019


def test_without_ringing_a_wait_ends_by_itself():
    assert seconds_of(lambda: WakeSignal().wait(SHORT_NS)) >= 0.0009


def test_silencing_a_silent_bell_changes_nothing():
    wake_signal = WakeSignal()
    wake_signal.silence()
    wake_signal.ring()
    wake_signal.silence()
    assert seconds_of(lambda: wake_signal.wait(SHORT_NS)) >= 0.0009


def test_a_child_process_rings_for_its_parent():
    wake_signal = WakeSignal()
    child = multiprocessing.get_context("fork").Process(target=wake_signal.ring)
    child.start()
    assert seconds_of(lambda: wake_signal.wait(LONG_NS)) < 30.0
    child.join()


def test_a_bell_that_is_gone_leaves_no_file_open():
    wake_signal = WakeSignal()
    file = wake_signal.file
    os.fstat(file)
    del wake_signal
    gc.collect()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(file)
