"""A child process dies with its parent, and leaves the terminal's signals to it."""

import multiprocessing
import os
import signal
import time

import pytest

from twincell.server.realtime.process import become_child, prctl

PATIENCE_S = 60.0

forked = multiprocessing.get_context("fork")


def child(parent_pid, pipe):
    become_child(parent_pid)
    pipe.send(os.getpid())
    time.sleep(PATIENCE_S)


def parent(pipe):
    """Start a child, and live on until killed."""
    forked.Process(target=child, args=(os.getpid(), pipe)).start()
    time.sleep(PATIENCE_S)


def has_ended(pid):
    """Whether a process is gone; one that nobody has asked about its end yet is a zombie."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            return stat.read().rpartition(")")[2].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_a_child_dies_when_its_parent_is_killed():
    receive, send = forked.Pipe(duplex=False)
    process = forked.Process(target=parent, args=(send,))
    process.start()
    pid = receive.recv()
    process.kill()
    process.join()
    end_s = time.monotonic() + PATIENCE_S / 2
    while not has_ended(pid):
        assert time.monotonic() < end_s
        time.sleep(0.002)


def test_a_child_whose_parent_died_before_does_not_begin():
    process = forked.Process(target=become_child, args=(1,))  # not its parent
    process.start()
    process.join()
    assert process.exitcode == 1


@pytest.mark.parametrize(
    ("number", "ends"), [(signal.SIGINT, False), (signal.SIGHUP, False), (signal.SIGTERM, True)]
)
def test_of_the_polite_signals_only_sigterm_ends_a_child(number, ends):
    receive, send = forked.Pipe(duplex=False)
    process = forked.Process(target=child, args=(os.getpid(), send))
    process.start()
    os.kill(receive.recv(), number)
    process.join(PATIENCE_S if ends else 0.2)
    assert process.exitcode == (-number if ends else None)
    process.kill()
    process.join()


def test_what_the_system_refuses_is_an_error():
    with pytest.raises(OSError):
        prctl(-1, 0)
