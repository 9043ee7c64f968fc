"""The status line of twincell run."""

import io
import logging
import os
import signal
import sys

import pytest

from tests.server.running_cell import wait_until
from twincell.server.cli import run_status, screen
from twincell.server.cli.run_status import Status, StatusLine
from twincell.server.logging.log_line import Level, Said
from twincell.server.logging.pipe import LogPipe
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.vitals import LoopState
from twincell.server.realtime.time_mode import TimeMode


@pytest.fixture
def link() -> Link:
    """A cell as it is after two ticks."""
    made = Link(1)
    made.ring.append(0, 0.0, 0, 20_000)
    made.ring.append(1, 0.001, 0, 40_000)
    made.vitals["state"], made.vitals.speed = LoopState.RUNNING, 1.0
    made.vitals["worst_late_ns"], made.vitals["overruns"] = 812_000, 3
    made.vitals["clients"] = 2
    made.vitals.write_text("control", "demo")
    return made


def test_it_tells_how_the_cell_is(link, monkeypatch):
    clock = iter([100.0, 100.5])
    monkeypatch.setattr(run_status.time, "monotonic", lambda: next(clock))
    status = Status(link)
    for tick in range(2, 502):
        link.ring.append(tick, tick * 1e-3, 0, 40_000)
    link.vitals["notifications"] = 50
    status.look()
    assert str(status) == (
        "running, 1000 ticks/s | t = 0.5 s | late p99 40 us, worst 812 us | overruns 3"
        " | clients 2, 100 notifications/s | control: demo"
    )


def test_a_speed_and_a_fault_are_told(link):
    link.vitals["state"], link.vitals.speed = LoopState.FAULT, 2.0
    link.vitals.write_text("fault", "Tool1: its motion grew beyond all bounds")
    text = str(Status(link))
    assert text.startswith("fault at speed 2, ")
    assert text.endswith(" | Tool1: its motion grew beyond all bounds")


def test_bridges_are_told():
    link = Link(1, bridges=["Plc1", "Plc2"])
    plc1, _ = link.bridges.bridges
    plc1["connected"], plc1["problems"] = 1, 2
    plc1.beat()
    told = str(Status(link))
    assert told.endswith("bridge Plc1: connected, 2 wires broken | bridge Plc2: not connected")


def test_a_time_mode_and_a_lost_controller_are_told(link):
    link.vitals["mode"], link.vitals["controller_lost"] = TimeMode.LOCK_STEP, 1
    text = str(Status(link))
    assert text.startswith("running in lock step, ")
    assert text.endswith(" | control: demo | the controller is lost")


def test_a_restarted_server_counts_anew_and_no_rate_is_negative(link):
    link.vitals["notifications"] = 1_000_000
    status = Status(link)
    link.vitals["notifications"] = 0
    status.look()
    assert " 0 notifications/s" in str(status)


def test_where_nobody_watches_a_line_comes_now_and_then(link, monkeypatch, capsys):
    clock = [100.0]
    monkeypatch.setattr(run_status.time, "monotonic", lambda: clock[0])
    with StatusLine(link) as line:
        for _ in range(100):
            clock[0] += 0.25
            line.show()
        line.say([Said.now("demo", "the demo ended")])
    lines = capsys.readouterr().err.splitlines()
    assert [text.split(",")[0] for text in lines] == ["running", "running", "the demo ended"]


def test_it_goes_on_when_nobody_reads_any_more(link, monkeypatch):
    read_end, write_end = os.pipe()
    os.close(read_end)
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(os.fdopen(write_end, "wb")))
    assert not screen.somebody_watches()
    with StatusLine(link) as line:
        line.say([Said.now("demo", "nobody hears this")])
        line.say([Said.now("demo", "nor this")])


def test_a_terminal_that_is_gone_counts_as_a_hang_up(link, monkeypatch):
    # the system may tell only the process that started us, such as make
    hung_up = []
    before = signal.signal(signal.SIGHUP, lambda *_: hung_up.append(True))
    try:
        monkeypatch.setattr(screen, "somebody_watches", lambda: True)
        line = StatusLine(link)
        line.show()
        assert not hung_up
        monkeypatch.setattr(screen, "somebody_watches", lambda: False)
        wait_until(lambda: line.show() or bool(hung_up))
    finally:
        signal.signal(signal.SIGHUP, before)


def test_children_log_our_warnings_and_exceptions_of_libraries_a_line_each():
    log_pipe = LogPipe()
    pid = os.fork()
    if pid == 0:  # what is printed or logged here goes into the pipe
        log_pipe.give_to_this_process("the opcua process")
        logging.getLogger("twincell.opcua").warning("a move\nwas refused")
        logging.getLogger("some.library").error("a client asked for nonsense")
        logging.getLogger("twincell.opcua").debug("somebody looks")
        try:
            raise ValueError("no such thing")
        except ValueError:
            logging.getLogger("some.library").exception("while answering")
        os.write(2, b"a library outside of Python\n")
        logging.getLogger("twincell.opcua").warning('"\x1b' * 2000)  # a quote has two bytes in JSON
        os._exit(0)
    os.waitpid(pid, 0)
    *said, long = log_pipe.lines()
    assert set(long.message) == {'"'}  # what moves a cursor is not said
    assert len(long.message) < 2000  # shorter than it was, but a whole line
    assert [(one.level, one.process, one.message) for one in said] == [
        (Level.warning, "the opcua process", "a move was refused"),
        (Level.error, "the opcua process", "while answering: ValueError: no such thing"),
        (Level.warning, "unknown", "a library outside of Python"),
    ]
    log_pipe.close()
