"""The examples of the page on faults run as they are pasted, and its lists are complete."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from asyncua import ua
from typer.testing import CliRunner

from tests.server.running_cell import RunningCell, running
from twincell.server.cli import app
from twincell.server.opcua.fault.protocol_fault import Kind
from twincell.server.opcua.space.space_events import EVENTS
from twincell.server.opcua.space.space_methods import SIMULATION_METHODS
from twincell.sim.cell import Cell
from twincell.sim.devices import modules
from twincell.sim.devices.parts.wire_signals import WIRE_FAULTS
from twincell.sim.spec import load_text

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "use" / "faults.md").read_text(encoding="utf-8")
FIRST_CELL = ROOT / "config" / "cells" / "first_cell.toml"
PATIENCE_S = 60.0


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.fixture(scope="module")
def cell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCell]:
    (started,) = re.findall(r"^twincell run (\w+) --lab$", PAGE, flags=re.MULTILINE)
    with running(tmp_path_factory.mktemp("faults"), started, "--port=0") as cell:
        yield cell


def test_every_command_of_the_page_does_what_it_says(cell):
    (commands,) = blocks("sh")
    lines = commands.splitlines()
    assert len(lines) > 10
    for line in lines:
        program, command, where, *rest = shlex.split(line)
        assert (program, command, where) == ("twincell", "fault", "localhost")
        ended = CliRunner().invoke(app, ["fault", cell.url, *rest], catch_exceptions=False)
        assert (ended.exit_code, ended.stderr) == (0, ""), line
    ended = CliRunner().invoke(app, ["read", cell.url, "Simulation.FaultCount"])
    assert ended.stdout.splitlines()[1].split()[:2] == ["Simulation.FaultCount", "0"]


def test_the_python_example_breaks_and_repairs(cell, tmp_path):
    (script,) = blocks("python")
    file = tmp_path / "break_and_repair.py"
    file.write_text(script, encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, file, cell.url],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    lever, fault, seen, end = ended.stdout.splitlines()
    assert (lever, fault) == ("Stand1.Fault.Empty", "bad Changer1.Locked")
    assert seen in ("BadSensorFailure False", "BadSensorFailure True")  # as it was before
    assert end == "all is well"


def test_the_timeline_of_the_page_is_one():
    (timeline,) = blocks("toml")
    text = FIRST_CELL.read_text(encoding="utf-8") + timeline
    first_cell = Cell(load_text(text))
    rows = first_cell.run(2702)
    column = first_cell.signals["Changer1.Fault.AirLoss"].column
    assert (rows[2699, column], rows[2700, column]) == (0.0, 1.0)


@pytest.mark.parametrize("device", modules("signals"))
def test_every_lever_is_on_the_page(device):
    for lever in modules("signals")[device].SIGNALS.levers:
        name = lever.quantity.rpartition(".")[2]
        assert lever.texts == WIRE_FAULTS or f"{name}`" in PAGE, lever.quantity


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_is_on_the_page(kind):
    assert f"| `{kind}` |" in PAGE


def test_methods_events_and_statuses_of_the_page_exist():
    methods = {method.name for method in SIMULATION_METHODS}
    assert {"InjectFault", "InjectProtocolFault", "ClearFaults"} <= methods
    for method in re.findall(r"^\| `(\w+)` \| (?:Name|Kind| )", PAGE, flags=re.MULTILINE):
        assert method in methods
    assert set(re.findall(r"^\| (\w+EventType) ", PAGE, flags=re.MULTILINE)) <= set(EVENTS)
    for status in re.findall(r"\bBad[A-Z]\w+", PAGE):
        assert status == "BadSignals" or hasattr(ua.StatusCodes, status), status
