"""twincell run ends as asked, and leaves nothing behind, however it ends."""

import asyncio
import fcntl
import os
import pty
import re
import signal
import subprocess
import termios
import time

import pytest

from tests.server.running_cell import (
    PATIENCE_S,
    children_of,
    is_there,
    name_of,
    running,
    wait_until,
)
from tests.server.twincell_command import command, environment
from twincell.server.client.session import connected

CELL = ("tool_change_single", "--port=0")
BUSY_S = 6.0  # within two seconds, but other tests keep the machine busy beside this one


def test_ctrl_c_stops_everything_at_once(tmp_path):
    with running(tmp_path, *CELL) as cell:
        children = children_of(cell.process.pid)
        assert len(children) == 4
        # a terminal sends it to all of them
        for pid in (*children, cell.process.pid):
            os.kill(pid, signal.SIGINT)
        began_s = time.monotonic()
        assert cell.process.wait(PATIENCE_S) == 130
        assert time.monotonic() - began_s < BUSY_S
        assert not any(is_there(pid) for pid in children)


def test_children_end_with_a_supervisor_that_is_killed(tmp_path):
    with running(tmp_path, *CELL) as cell:
        children = children_of(cell.process.pid)
        cell.process.kill()
        wait_until(lambda: not any(is_there(pid) for pid in children), within_s=BUSY_S)


def start_on_a_terminal(tmp_path, hang_up_handler) -> tuple[subprocess.Popen[bytes], int, str]:
    """A cell whose terminal we hold: process, the terminal's other end, and its address."""
    ours, theirs = pty.openpty()

    def take_terminal() -> None:
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGHUP, hang_up_handler)

    process = subprocess.Popen(
        command("run", *CELL, "--no-demo"),
        cwd=tmp_path,
        env={**environment(), "TERM": "xterm", "COLUMNS": "200"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=take_terminal,
    )
    os.close(theirs)
    shown = b""
    while b"control: " not in shown:  # the end of the status line
        shown += os.read(ours, 65_536)
    (url,) = re.findall(r"ready: (\S+)", shown.decode())
    return process, ours, url


@pytest.fixture
def on_a_terminal(tmp_path):
    """Starts a cell on a terminal, which is ended when the test is over."""
    started = []

    def start(hang_up_handler):
        process, terminal, url = start_on_a_terminal(tmp_path, hang_up_handler)
        started.append(process)
        return process, terminal, url

    yield start
    for process in started:
        process.terminate()
        process.wait(PATIENCE_S)


def test_it_stops_when_its_terminal_is_closed(on_a_terminal):
    process, terminal, _ = on_a_terminal(signal.SIG_DFL)
    children = children_of(process.pid)
    os.close(terminal)
    assert process.wait(PATIENCE_S) == 129
    assert not any(is_there(pid) for pid in children)


async def test_under_nohup_it_goes_on_without_its_terminal(on_a_terminal):
    process, terminal, url = on_a_terminal(signal.SIG_IGN)
    os.close(terminal)
    # also when it has something to say
    (loop,) = (pid for pid in children_of(process.pid) if name_of(pid) == "twincell loop")
    os.kill(loop, signal.SIGKILL)
    async with connected(url, "test") as session, asyncio.timeout(PATIENCE_S):
        # the state alone will not do: it is Running until somebody notices
        while await session.value("Simulation.Restarts") != 1:
            await asyncio.sleep(0.01)
        while await session.value("Simulation.State") != "Running":
            await asyncio.sleep(0.01)
    process.terminate()
    assert process.wait(PATIENCE_S) == 143
