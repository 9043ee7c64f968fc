"""The examples for clients: those in Python and JavaScript run, and all name nodes that exist."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.server.running_cell import RunningCell, running
from twincell.server.opcua.space.space_bulk import find_blocks
from twincell.server.opcua.space.space_methods import SIMULATION_METHODS, robot_methods
from twincell.server.opcua.space.space_simulation import SLOW
from twincell.sim.build import compile_cell
from twincell.sim.spec import load_cell

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "use" / "clients.md"
EXAMPLES = sorted(path for path in (ROOT / "docs" / "clients").iterdir() if path.is_file())
STRUCTURED_TEXT = [path for path in EXAMPLES if path.suffix in (".st", ".scl")]
STRUCTURED_TEXT += sorted((ROOT / "docs" / "plc").glob("*.st"))
PATIENCE_S = 120.0

NAME = r"[A-Z]\w*(?:\.[A-Z1-9]\w*)+"
WRITTEN = re.compile(rf"['\"`](?:ns=\d;s=)?({NAME})['\"`]|ns=\d;s=({NAME})")
BLOCK = "IF|CASE|FOR|WHILE|REPEAT|STRUCT|TYPE|VAR|PROGRAM|FUNCTION_BLOCK"
OPENING = re.compile(rf"^\s*({BLOCK})(?:_[A-Z]+)?\b")
CLOSING = re.compile(rf"\bEND_({BLOCK})\b")


@pytest.fixture(scope="module")
def cell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCell]:
    """The cell of the examples, where the demo commands until they do."""
    folder = tmp_path_factory.mktemp("clients")
    with running(folder, "tool_change_multi", "--port", 0, "--speed", 4) as cell:
        yield cell


def output_of(command: list[object], **environment: str) -> list[str]:
    ended = subprocess.run(
        [str(part) for part in command],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    # node-opcua has something to say too, and says when
    return [line for line in ended.stdout.splitlines() if not re.match(r"\d\d:\d\d:", line)]


def check(output: list[str]) -> None:
    assert output[:2] == ["Robot1 has the tool", "the tool lies in Holder3"]
    found = re.fullmatch(r"greatest force on it: ([\d.]+) N, in (\d+) changes", output[2])
    assert found
    assert 9.81 < float(found[1]) < 20.0  # it was lifted, and nothing hit it
    assert int(found[2]) > 1000


def test_the_python_example_changes_a_tool(cell):
    check(output_of([sys.executable, ROOT / "docs" / "clients" / "python_client.py", cell.url]))


def test_the_node_example_changes_a_tool(cell, tmp_path):
    script = ROOT / "docs" / "clients" / "node_client.js"
    modules = ROOT / "tests" / "node" / "node_modules"
    check(
        output_of(["node", script, cell.url], NODE_PATH=str(modules), XDG_CONFIG_HOME=str(tmp_path))
    )


def test_the_handshake_example_changes_a_tool_at_the_same_ticks_every_time(tmp_path):
    example = [sys.executable, ROOT / "docs" / "clients" / "handshake.py"]
    options = ("tool_change_single", "--port=0", "--time=handshake", "--cycle-ms=10")
    said = []
    for _ in range(2):
        with running(tmp_path, *options) as cell:
            said.append(output_of([*example, cell.url]))
    first, last = said[0]
    assert re.fullmatch(r"Robot1Flange has the tool at \d\.\d\d0 s", first)  # the end of a cycle
    assert re.fullmatch(r"the tool lies in Holder2 at \d\.\d\d0 s", last)
    assert said[0] == said[1]


def test_the_handshake_example_says_what_to_do_when_the_cell_runs_on_the_clock(tmp_path):
    script = ROOT / "docs" / "clients" / "handshake.py"
    with running(tmp_path, "tool_change_single", "--port=0", "--no-demo") as cell:
        ended = subprocess.run(
            [sys.executable, str(script), cell.url],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
    assert (ended.returncode, ended.stdout) == (1, "")
    last = ended.stderr.splitlines()[-1]
    assert last == "the cell is not in handshake: start it with --time handshake"


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[RunningCell]:
    """A cell that lets clients without a name look, and no more."""
    options = ("tool_change_multi", "--port=0", "--no-demo", "--security", tmp_path / "security")
    with running(tmp_path, *options, lab=False) as cell:
        yield cell


@pytest.mark.parametrize("login", [{}, {"TWINCELL_USER": "me", "TWINCELL_PASSWORD": "wrong"}])
def test_an_example_that_is_not_allowed_says_what_to_do_in_one_line(guarded, tmp_path, login):
    modules = ROOT / "tests" / "node" / "node_modules"
    variables = {**login, "NODE_PATH": str(modules), "XDG_CONFIG_HOME": str(tmp_path)}
    for program, script in ((sys.executable, "python_client.py"), ("node", "node_client.js")):
        ended = subprocess.run(
            [program, str(ROOT / "docs" / "clients" / script), guarded.url],
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert ended.returncode == 1
        last = ended.stderr.splitlines()[-1]
        assert last.startswith("not allowed: it needs a user with the role engineer")
        assert "twincell user add me --role engineer" in last
        assert "Traceback" not in ended.stderr
        assert "    at " not in ended.stderr


def test_an_example_that_gives_no_name_is_for_a_lab():
    for path in ROOT.glob("docs/clients/*.st"):
        (started,) = re.findall(r"twincell run .*", path.read_text(encoding="utf-8"))
        assert started.endswith(" --lab"), path


def cells_named_in(text: str) -> list[str]:
    return sorted(set(re.findall(r"twincell (?:run|nodeset) (tool_change_\w+)", text)))


@cache
def nodes_of(cell: str) -> set[str]:
    """Names of signals, of groups of them, of other values, and of methods."""
    spec = load_cell(ROOT / "config" / "cells" / f"{cell}.toml")
    names = {"Simulation", "Simulation.Tick", "Simulation.Time", "Simulation.CycleEcho"}
    names.add("Cell.Control")
    names |= {f"Simulation.{member.name}" for member in (*SLOW, *SIMULATION_METHODS)}
    names |= {block.variable.name for block in find_blocks("Bulk", ())}
    names |= {f"{robot}.{method.name}" for robot in spec.robot for method in robot_methods(0)}
    for signal in compile_cell(spec).signals:
        parts = signal.name.split(".")
        names |= {".".join(parts[:end]) for end in range(1, len(parts) + 1)}
    return names


@pytest.mark.parametrize("path", [PAGE, *EXAMPLES], ids=lambda path: path.name)
def test_every_node_that_an_example_names_is_in_the_cell_that_it_names(path):
    text = path.read_text(encoding="utf-8")
    cells = cells_named_in(text)
    named = {quoted or plain for quoted, plain in WRITTEN.findall(text)}
    assert cells
    assert len(named) > 3
    assert named <= set().union(*(nodes_of(cell) for cell in cells))


@pytest.mark.parametrize("path", STRUCTURED_TEXT, ids=lambda path: path.name)
def test_every_block_of_structured_text_is_closed(path):
    """Not a parser, which none with a fitting licence is; but what is most often wrong."""
    text = re.sub(r"\(\*.*?\*\)", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    open_blocks: list[str] = []
    for line in re.sub(r"//.*", "", text).splitlines():
        open_blocks += OPENING.findall(line)
        for closed in CLOSING.findall(line):
            assert open_blocks.pop() == closed, line
    assert open_blocks == []
