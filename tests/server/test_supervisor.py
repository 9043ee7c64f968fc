"""The supervisor, with toys for the processes of a cell."""

import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.server.opcua.made_security import made_security
from tests.server.running_cell import is_there, wait_until
from twincell.server.config import Serving
from twincell.server.logging.pipe import LogPipe
from twincell.server.opcua.limits import Limits
from twincell.server.realtime.cores import share_out
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.vitals import LoopState
from twincell.server.realtime.time_mode import ON_THE_CLOCK
from twincell.server.supervisor import entry_points as work
from twincell.server.supervisor.essential import GaveUp, LoopPost, PortInUse
from twincell.server.supervisor.optional import ClientPost, DemoPost, MetricsPost, WebPost
from twincell.server.supervisor.supervisor import Supervisor
from twincell.server.web.guard.listening_socket import WebAddress
from twincell.server.web.showing import Showing

FREE_PORT = 5_555  # what the toy server finds when it is asked for any


def beating(_cell, link, *_):
    """A loop with nothing to do but to live."""
    link.vitals["state"] = LoopState.RUNNING
    link.ring.append(0, 0.0, 0, 0)
    while True:
        link.vitals["beat_ns"] = time.monotonic_ns()
        time.sleep(0.01)


def listening(_cell, link, serving):
    link.vitals["port"] = serving.port or FREE_PORT
    signal.pause()


def idle(*_):
    signal.pause()


SERVING = Serving(made_security(), Limits(), "127.0.0.1", 0, "", lab=False)


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    monkeypatch.setattr(work, "tick", beating)
    monkeypatch.setattr(work, "serve", listening)
    monkeypatch.setattr(work, "play", idle)


@contextmanager
def ready(demo: bool = False) -> Iterator[tuple[Supervisor, Link]]:
    link = Link(1)
    with Supervisor(None, link, SERVING, demo=demo) as supervisor:
        while not supervisor.is_ready:
            supervisor.watch(0.01)
        yield supervisor, link


def heard(supervisor: Supervisor) -> str:
    """The next thing that the supervisor says."""
    while True:
        lines = supervisor.watch(0.1)
        if lines:
            return lines[0].message


def pids(supervisor: Supervisor) -> dict[str, int]:
    return {post.name: post.child.pid for post in supervisor._posts}


def test_it_is_ready_when_loop_and_server_are():
    with ready() as (supervisor, link):
        assert link.ring.written > 0
        assert supervisor.endpoint == f"opc.tcp://localhost:{FREE_PORT}"


def test_once_ready_the_others_leave_the_loop_its_core():
    before = os.sched_getaffinity(0)
    with ready(demo=True) as (supervisor, _link):
        others = {name: pid for name, pid in pids(supervisor).items() if "real" not in name}
        assert len(others) == 2
        for pid in (os.getpid(), *others.values()):
            assert os.sched_getaffinity(pid) == share_out(before).rest
    assert os.sched_getaffinity(0) == before


def test_a_killed_loop_is_started_again_and_the_server_stays():
    with ready() as (supervisor, link):
        before = pids(supervisor)
        os.kill(before["real-time process"], signal.SIGKILL)
        assert heard(supervisor) == (
            "the real-time process ended (signal 9); started again, the cell begins at its start"
        )
        assert link.vitals["restarts"] == 1
        after = pids(supervisor)
        assert after["OPC UA process"] == before["OPC UA process"]
        assert after["real-time process"] != before["real-time process"]
        wait_until(lambda: link.vitals.state is LoopState.RUNNING)


def test_a_loop_that_is_gone_is_down_at_once(monkeypatch):
    with ready() as (supervisor, link):
        monkeypatch.setattr(work, "tick", idle)
        os.kill(pids(supervisor)["real-time process"], signal.SIGKILL)
        heard(supervisor)
        assert link.vitals.state is LoopState.DOWN


def test_a_killed_server_comes_back_at_the_same_port(monkeypatch):
    with ready() as (supervisor, link):
        monkeypatch.setattr(
            work, "serve", lambda cell, link, serving: sys.exit(serving.port != FREE_PORT)
        )
        before = pids(supervisor)
        os.kill(before["OPC UA process"], signal.SIGKILL)
        expected = "the OPC UA process ended (signal 9); started again, clients have to connect"
        assert heard(supervisor).startswith(expected)
        # it would have said exit code 1 with another port
        assert "(exit code 0)" in heard(supervisor)
        assert pids(supervisor)["real-time process"] == before["real-time process"]
        assert link.vitals["port"] == 0


def test_a_loop_that_never_stays_is_given_up(monkeypatch):
    monkeypatch.setattr(work, "tick", lambda *_: sys.exit(7))
    reason = "real-time process ended 6 times within a minute, the last time with exit code 7"
    with pytest.raises(GaveUp, match=reason), ready():
        pass


def test_a_port_that_is_taken_is_told(monkeypatch):
    monkeypatch.setattr(work, "serve", lambda *_: sys.exit(work.PORT_IN_USE))
    with pytest.raises(PortInUse), ready():
        pass


def test_nothing_is_left_behind_even_by_a_child_that_does_not_listen(monkeypatch):
    def deaf(*arguments):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        listening(*arguments)

    monkeypatch.setattr(work, "serve", deaf)
    with ready(demo=True) as (supervisor, _):
        children = pids(supervisor).values()
        began_s = time.monotonic()
    assert time.monotonic() - began_s < 6.0  # two, but other tests keep the machine busy
    assert len(children) == 3
    assert not any(is_there(pid) for pid in children)


def test_nothing_is_left_behind_by_an_exception():
    children = []
    with pytest.raises(ZeroDivisionError), ready() as (supervisor, _):
        children += pids(supervisor).values()
        raise ZeroDivisionError
    assert len(children) == 2
    assert not any(is_there(pid) for pid in children)


def test_a_signal_that_comes_while_children_are_started_waits(monkeypatch):
    def interrupting(*arguments):
        os.kill(os.getppid(), signal.SIGINT)
        listening(*arguments)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(work, "serve", interrupting)
    link = Link(1)
    supervisor = Supervisor(None, link, SERVING, demo=False)
    try:
        with pytest.raises(KeyboardInterrupt), supervisor:
            while True:
                supervisor.watch(0.1)
    finally:
        signal.signal(signal.SIGINT, before)
    # another thread of the test may take the signal: then not all have been started
    assert not any(is_there(post.child.pid) for post in supervisor._posts if post.child)


def test_what_children_print_and_log_is_said_line_by_line(monkeypatch):
    monkeypatch.setattr(work, "play", lambda *_: print("demo: one\ndemo: two"))
    with ready(demo=True) as (supervisor, _):
        said = []
        while len(said) < 2:
            said += supervisor.watch(0.1)
    assert [one.message for one in said] == [
        "demo: one",
        "demo: two",
    ]  # and nothing about an end: it was content


# ---------------------------------------------------------------- with a clock of our own


@pytest.fixture
def log_pipe() -> Iterator[LogPipe]:
    made = LogPipe()
    yield made
    made.close()


def test_a_loop_without_a_sign_of_life_is_killed_and_started_again(log_pipe, monkeypatch):
    link = Link(1)
    post = LoopPost(None, link, log_pipe, ON_THE_CLOCK, timeline=True)
    monkeypatch.setattr(work, "tick", idle)
    post.start()
    hung = post.child.pid
    link.vitals["state"], link.vitals["beat_ns"] = LoopState.RUNNING, 1
    said = [line for tenth in range(100, 140) for line in post.look(tenth / 10)]
    assert said == [
        "the real-time process ended (no sign of life); started again, the cell begins at its start"
    ]
    assert not is_there(hung)
    post.child.kill()


def test_a_supervisor_that_was_stopped_itself_judges_nobody(log_pipe, monkeypatch):
    link = Link(1)
    post = LoopPost(None, link, log_pipe, ON_THE_CLOCK, timeline=True)
    monkeypatch.setattr(work, "tick", idle)
    post.start()
    link.vitals["state"], link.vitals["beat_ns"] = LoopState.RUNNING, 1
    assert [post.look(at_s) for at_s in (100.0, 100.5, 3600.0, 3600.5)] == [[], [], [], []]
    post.child.kill()


def test_a_restarted_loop_leaves_the_timeline_off_if_a_client_has_taken_over(log_pipe, monkeypatch):
    link = Link(1)
    timelines = []
    post = LoopPost(None, link, log_pipe, ON_THE_CLOCK, timeline=True)
    monkeypatch.setattr(post, "start", lambda: timelines.append(post._work().args[-2]))
    post.start()
    link.vitals["state"], link.vitals["timeline_on"] = LoopState.RUNNING, 0
    post.look(100.0)
    post.start()
    assert timelines == [True, False]


def test_a_demo_that_ends_is_started_later_and_later_and_then_no_more(log_pipe, monkeypatch):
    monkeypatch.setattr(work, "play", lambda *_: sys.exit(1))
    post = DemoPost(None, log_pipe, "")
    said = said_until_given_up(post)
    delays = [line.rpartition("again in ")[2] for line in said[:-1]]
    assert delays == ["1 s", "2 s", "4 s", "8 s", "16 s"]
    assert post.look(10_000.0) == []


def said_until_given_up(post: ClientPost) -> list[str]:
    """What is said of a process that never stays, half a second after the other."""
    post.start()
    said, now_s = [], 100.0
    while "without it" not in " ".join(said):
        if post.child:
            post.child.wait(time.monotonic() + 60.0)
        said += post.look(now_s)
        now_s += 0.5
    return said


def test_a_page_that_never_stays_is_done_without_and_no_browser_waits_for_it(log_pipe, monkeypatch):
    monkeypatch.setattr(work, "show", lambda *_: sys.exit(1))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        showing = Showing(WebAddress("127.0.0.1", listening), Path(), "")
        post = WebPost(None, Link(1), log_pipe, None, showing)
        said_until_given_up(post)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(listening.getsockname())


def test_metrics_that_never_stay_are_done_without_and_nobody_waits_for_them(log_pipe, monkeypatch):
    monkeypatch.setattr(work, "measure", lambda *_: sys.exit(7))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        link, here = Link(1), listening.getsockname()
        post = MetricsPost(None, link, log_pipe, listening)
        post.start()
        said = []
        while post.child:
            post.child.wait(time.monotonic() + 60.0)
            said += post.look(100.0)
        assert len(said) == 6
        assert said[-1] == (
            "the metrics process ended (exit code 7) too often: the cell goes on without it"
        )
        assert link.vitals["metrics_restarts"] == 5
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(here)
