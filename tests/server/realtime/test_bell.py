"""A bell wakes another process up, and never for nothing or too late."""

import gc
import multiprocessing
import os
import threading
import time

import pytest

from twincell.server.realtime.bell import Bell

LONG_NS = 60_000_000_000  # the test would take a minute if nobody rang
SHORT_NS = 1_000_000


def seconds_of(work):
    began = time.monotonic()
    work()
    return time.monotonic() - began


def test_who_waits_is_woken_up():
    bell = Bell()
    threading.Timer(0.02, bell.ring).start()
    assert seconds_of(lambda: bell.wait(LONG_NS)) < 30.0


def test_a_bell_that_was_rung_before_is_not_waited_for():
    bell = Bell()
    bell.ring()
    bell.ring()
    assert seconds_of(lambda: bell.wait(LONG_NS)) < 30.0


def test_a_wait_takes_all_ringing_so_far():
    bell = Bell()
    bell.ring()
    bell.ring()
    bell.wait(LONG_NS)
    assert seconds_of(lambda: bell.wait(SHORT_NS * 20)) >= 0.019


def test_without_ringing_a_wait_ends_by_itself():
    assert seconds_of(lambda: Bell().wait(SHORT_NS)) >= 0.0009


def test_silencing_a_silent_bell_changes_nothing():
    bell = Bell()
    bell.silence()
    bell.ring()
    bell.silence()
    assert seconds_of(lambda: bell.wait(SHORT_NS)) >= 0.0009


def test_a_child_process_rings_for_its_parent():
    bell = Bell()
    child = multiprocessing.get_context("fork").Process(target=bell.ring)
    child.start()
    assert seconds_of(lambda: bell.wait(LONG_NS)) < 30.0
    child.join()


def test_a_bell_that_is_gone_leaves_no_file_open():
    bell = Bell()
    file = bell.file
    os.fstat(file)
    del bell
    gc.collect()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(file)
