"""twincell browse, read, write and watch, with a cell that runs."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import pytest

from tests.server.running_cell import PATIENCE_S, RunningCell, running, wait_until
from tests.server.twincell_command import command, environment
from twincell.server.cli import client
from twincell.server.client.password import PASSWORD as PASSWORD_VARIABLE
from twincell.server.errors import Refusal
from twincell.server.security.folder import VARIABLE, SecurityFolder
from twincell.server.security.roles import Role
from twincell.server.security.users import Users

USER, PASSWORD = "anna", "correct horse"


@pytest.fixture(scope="module")
def cell(tmp_path_factory) -> Iterator[RunningCell]:
    """A cell that anna may command."""
    folder = SecurityFolder(tmp_path_factory.mktemp("security"))
    Users(folder.users).add(USER, Role.ENGINEER, PASSWORD)
    with pytest.MonkeyPatch.context() as settings:
        settings.setenv(VARIABLE, str(folder.root))
        settings.setenv(PASSWORD_VARIABLE, PASSWORD)
        with running(
            tmp_path_factory.mktemp("cell"), "tool_change_single", "--port=0", lab=False
        ) as started:
            yield started


def rows(text: str) -> dict[str, list[str]]:
    """The lines of a table by their first words, without its head."""
    lines = [line.split() for line in text.splitlines()[1:]]
    return {first: rest for first, *rest in lines}


def test_browse_lists_types_units_values_and_methods(cell, twincell):
    ended = twincell("browse", cell.url)
    assert (ended.code, ended.err) == (0, "")
    found = rows(ended.out)
    assert found["Tool1.Pose.X"][:2] == ["Double", "m"]
    assert found["Robot1Flange.Closed"][0] == "Boolean"
    assert found["Simulation.Step"] == ["method", "(N", "UInt32)", "->", "Tick", "Int64"]
    assert ended.out.splitlines()[1] == "Cell"


def test_browse_begins_where_it_is_told_to(cell, twincell):
    lines = twincell("browse", cell.url, "Tool1").out.splitlines()
    assert lines[1].split()[0] == "Tool1"
    assert lines[2].startswith("  Tool1.")


def test_read_shows_what_a_signal_is(cell, twincell):
    ended = twincell("read", cell.url, "Tool1.Pose.Z", "ns=3;s=Simulation.State")
    assert (ended.code, ended.err) == (0, "")
    found = rows(ended.out)
    value, unit, type_, _date, _time, *description = found["Tool1.Pose.Z"]
    assert float(value) > 0.7
    assert (unit, type_, description[:2]) == ("m", "Double", ["Position", "in"])
    assert found["Simulation.State"][:2] == ["Running", "String"]


def test_write_takes_effect_and_the_demo_yields(cell, twincell):
    ended = twincell("write", cell.url, "Robot1Flange.Closed=true", "--user", USER)
    assert (ended.code, ended.err) == (0, "")
    assert rows(ended.out)["Robot1Flange.Closed"][:2] == ["true", "Boolean"]
    assert (
        rows(twincell("read", cell.url, "Robot1Flange.IsClosed").out)["Robot1Flange.IsClosed"][0]
        == "true"
    )
    wait_until(lambda: "commands now; the demo has stopped\n" in cell.notes)


def test_who_gives_no_name_may_read_but_not_write(cell, twincell):
    ended = twincell("write", cell.url, "Robot1Flange.Closed=true")
    assert (ended.code, ended.out) == (2, "")
    first, second = ended.err.splitlines()
    assert first.startswith("Robot1Flange.Closed: ")
    assert second.startswith("  hint: give --user NAME; ")


def test_a_connection_to_this_machine_can_be_encrypted(cell, twincell):
    ended = twincell("read", cell.url, "Simulation.State", "--secure", "--user", USER)
    assert (ended.code, ended.err) == (0, "")
    assert rows(ended.out)["Simulation.State"][0] == "Running"


def test_a_mistake_is_told_in_a_line_with_a_hint(cell, twincell):
    ended = twincell("read", cell.url, "Simulation.Time", "Tool1.Poze.X")
    assert (ended.code, ended.out) == (2, "")
    first, second = ended.err.splitlines()
    assert first == "Tool1.Poze.X: there is no such signal"
    assert second.startswith("  hint: did you mean Tool1.Pose.X ")


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("tool1.pose.x", "did you mean Tool1.Pose.X"),
        ("Qwertz", "Qwertz: there is no such signal\n.*twincell browse"),
        ("ns=99;i=1", "ns=99;i=1: there is no such signal"),
        ("i=x", "i=x: is no node id"),
        ("Tool1", "Tool1: has no value\n.*twincell browse"),
    ],
)
def test_what_cannot_be_read_is_told(cell, wanted, words):
    for asking in (client.read, client.watch):
        with pytest.raises(Refusal, match=words):
            asking(cell.url, [wanted])


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("Tool1.Pose.X=1", "Tool1.Pose.X: cannot be written"),
        ("Robot1Flange.Closed=maybe", "'maybe' is no Boolean\n.*true or false is wanted"),
        ("Robot1Flange.Closed", "is no assignment"),
        ("=true", "is no assignment"),
        ("Robot1Flange.Close=true", "did you mean Robot1Flange.Closed"),
        ("Bulk.Commands=[2]", "the server refused .2.: BadOutOfRange"),
    ],
)
def test_what_cannot_be_written_is_told_and_nothing_is(cell, wanted, words):
    with pytest.raises(Refusal, match=words):
        client.write(cell.url, [wanted], USER)


def test_a_node_that_is_not_there_cannot_be_browsed(cell):
    with pytest.raises(Refusal, match="did you mean Tool1"):
        client.browse(cell.url, "Tool11")


@pytest.mark.parametrize("interval_ms", [0.0, -1.0, float("nan"), float("inf")])
def test_an_impossible_interval_is_refused(interval_ms):
    with pytest.raises(Refusal, match="--interval-ms"):
        client.watch("localhost", ["Tool1.Pose.X"], interval_ms)


@contextmanager
def watching(cell: RunningCell, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        command("watch", cell.url, *arguments),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_watch_prints_every_change_until_ctrl_c(cell):
    with watching(cell, "Simulation.Tick", "--interval-ms=20") as process:
        assert process.stdout
        lines = [process.stdout.readline().split() for _ in range(10)]
        process.send_signal(signal.SIGINT)
        _, notes = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, notes) == (130, "")
    assert {name for _, _, name, _ in lines} == {"Simulation.Tick"}
    ticks = [int(tick) for *_, tick in lines]
    assert ticks == sorted(set(ticks))
    # the first one is the newest row, the others are samples
    assert {after - before for before, after in pairwise(ticks[1:])} == {20}


def test_watch_says_when_the_connection_is_lost(cell):
    with watching(cell, "Simulation.Tick") as process:
        assert process.stdout
        process.stdout.readline()
        os.kill(cell.child("twincell opcua"), signal.SIGKILL)
        _, notes = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    assert notes.startswith(f"{cell.url}: the connection was lost\n")
    # the others want it back
    again = command("read", cell.url, "Simulation.Tick")
    wait_until(lambda: subprocess.run(again, env=environment(), check=False).returncode == 0)
