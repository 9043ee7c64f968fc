"""The plugin, in test runs as users start them."""

import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np

from tests.server.kit.pytest_run import run_pytest
from tests.server.running_cell import running
from tests.server.twincell_command import environment
from twincell import server
from twincell.server.recording.recording import Recording

GOOD = """
import pytest

pytestmark = pytest.mark.cell("small.toml")


def test_the_flange_takes_the_tool(cell):
    cell["Flange.Closed"] = True
    cell.wait_until("Tool.Partner", "Flange", within_s=0.1)
    cell.advance(0.9)
    assert cell["Tool.Pose.Z"] == pytest.approx(1.0, abs=0.01)
    cell.check_golden("lift", ["Tool.Force.Z", "Tool.Partner"], abs=0.1)


def test_the_next_test_begins_at_the_start_again(cell):
    assert cell.tick == 0
    assert cell["Tool.Partner"] == "Holder"
    assert not cell["Flange.Closed"]


@pytest.mark.cell("small.toml", fresh=True)
def test_a_new_cell_begins_at_the_same_start(cell):
    assert cell.tick == 0
"""
BAD = """
import pytest


@pytest.mark.cell("small.toml")
def test_the_flange_takes_the_tool_by_itself(cell):
    cell.wait_until("Tool.Partner", "Flange", within_s=0.2)


@pytest.mark.cell("small.toml")
def test_a_late_close_differs(cell):
    cell.advance(0.3)
    cell["Flange.Closed"] = True
    cell.advance(0.61)
    cell.check_golden("lift", ["Tool.Force.Z", "Tool.Partner"], abs=0.1)


@pytest.mark.cell("small.toml")
def test_without_a_golden_trace(cell):
    cell.advance(0.01)
    cell.check_golden("nowhere", ["Tool.Force.Z"], abs=0.1)


def test_without_a_marker(cell):
    pass


@pytest.mark.cell("smal.toml")
def test_with_a_cell_that_is_not_there(cell):
    pass
"""
WATCHING = """
def test_somebody_elses_cell_is_watched_and_left_alone(cell):
    before = cell.tick
    cell.advance(0.2)
    assert cell.tick >= before + 200
    assert cell["Cell.Control"] in ("timeline", "nobody")
"""
RESET = """
def test_somebody_elses_cell_begins_anew(cell):
    assert cell.trace("Tool.Partner").tick[0] == 0
    cell.stays("Tool.Constrained", True, for_s=0.05)
"""


def test_cells_are_tested_golden_traces_kept_and_failures_leave_files(
    tmp_path: Path, small_cell: Path
) -> None:
    (tmp_path / "test_good.py").write_text(GOOD)
    (tmp_path / "test_bad.py").write_text(BAD)

    made = run_pytest(tmp_path, "test_good.py", "--twincell-update-goldens")
    assert made.code == 0, made.text
    golden = (tmp_path / "goldens" / "lift.csv").read_text()
    assert golden.startswith("tick,time,Tool.Force.Z,Tool.Partner\n0,0,")
    assert len(golden.splitlines()) < 200  # of 911 ticks: the file is readable

    again = run_pytest(tmp_path, "--junit-xml=junit.xml", "--twincell-out=out")
    assert again.code == 1, again.text
    assert "3 failed, 3 passed, 2 errors" in again.text
    assert "not within 0.2 s of simulated time, from 0.000 s on" in again.text
    assert 'Tool.Partner: "Holder" since 0.000 s, awaited: "Flange"' in again.text
    # a failure shows the line of the test, and none of ours
    assert '>       cell.wait_until("Tool.Partner", "Flange", within_s=0.2)' in again.text
    assert "def wait_for" not in again.text and "raise not_in_time" not in again.text
    assert "Tool.Partner: at 0.001 s: 'Holder' instead of 'Flange'" in again.text
    assert "hint: if the new one is right: --twincell-update-goldens" in again.text
    assert "there is no golden trace" in again.text
    assert 'hint: write @pytest.mark.cell("tool_change_multi")' in again.text
    assert "smal.toml: there is no such file" in again.text

    own = tmp_path / "out" / "test_bad.py_test_the_flange_takes_the_tool_by_itself"
    assert (own / "traces.csv").read_text().splitlines()[0] == "time,Tool.Partner"
    assert len((own / "traces.csv").read_text().splitlines()) == 202  # head, and 201 ticks
    assert (own / "signals.png").read_bytes().startswith(b"\x89PNG")
    recorded = np.concatenate([part.ticks for part in Recording(own / "run.mcap").rows()])
    assert recorded.tolist() == list(range(1, 201))  # all that came after its start
    properties = {
        one.get("name"): one.get("value")
        for one in ET.parse(tmp_path / "junit.xml").iter("property")
    }
    assert properties["twincell_traces"].endswith("traces.csv")
    assert properties["twincell_plot"].endswith("signals.png")
    assert properties["twincell_recording"].endswith("run.mcap")


def test_a_cell_of_somebody_else_is_neither_started_nor_reset(
    tmp_path: Path, small_cell: Path
) -> None:
    (tmp_path / "test_watching.py").write_text(WATCHING)
    with running(tmp_path, small_cell, "--port", 0, "--no-demo") as cell:
        ended = run_pytest(tmp_path, f"--twincell-url={cell.url}")
        assert ended.code == 0, ended.text
        (tmp_path / "test_reset.py").write_text(RESET)
        reset = run_pytest(
            tmp_path, "test_reset.py", f"--twincell-url={cell.url}", "--twincell-reset"
        )
        assert reset.code == 0, reset.text
    nobody = run_pytest(tmp_path, f"--twincell-url={cell.url}")
    assert nobody.code == 1
    assert "--twincell-url: " in nobody.text


def test_a_run_without_cells_does_not_load_what_cells_need(tmp_path: Path) -> None:
    (tmp_path / "test_other.py").write_text(
        "import sys\n\n\ndef test_it():\n"
        "    heavy = {'asyncua', 'numpy', 'numba', 'pydantic', 'matplotlib', 'typer'}\n"
        "    assert heavy.isdisjoint(sys.modules)\n"
    )
    ended = run_pytest(tmp_path, "test_other.py")
    assert ended.code == 0, ended.text


def test_the_entry_point_leads_to_the_plugin() -> None:
    project = tomllib.loads((Path(server.__file__).parents[2] / "pyproject.toml").read_text())
    (name,) = project["project"]["entry-points"]["pytest11"].values()
    assert name == "twincell.server.kit.pytest_plugin"


def test_the_fixture_has_a_type_that_editors_and_mypy_know(tmp_path: Path) -> None:
    (tmp_path / "typed.py").write_text(
        "from twincell import CellUnderTest\n"
        "def test_it(cell: CellUnderTest) -> None:\n"
        "    reveal_type(cell.wait_until)\n"
        "    cell.wait_untl\n"
    )
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--follow-imports=silent", "typed.py"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert "within_s: float" in checked.stdout
    assert '"CellUnderTest" has no attribute "wait_untl"; maybe "wait_until"?' in checked.stdout
