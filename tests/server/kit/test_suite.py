"""Suites whose cells are lost on the way: the others go on, and what was run is reported."""

import os
import signal
import subprocess
import threading
import xml.etree.ElementTree as ET
from pathlib import Path

from tests.server.running_cell import children_of, is_there, wait_until
from tests.server.twincell_command import command, environment
from twincell.server.kit.scenario_result import Outcome, ScenarioResult
from twincell.server.kit.suite import Suite

SCENARIO = """\
name = "{name}"
cell = "{cell}.toml"
never = {{ "Tool.Force.Z" = {{ above = 1000.0 }} }}

[[step]]
name = "wait"
for_s = {for_s}
"""


def write(folder: Path, name: str, cell: str = "small", for_s: float = 0.1) -> Path:
    file = folder / f"{name}.toml"
    file.write_text(SCENARIO.format(name=name, cell=cell, for_s=for_s), encoding="utf-8")
    return file


def crash(cells: set[int]) -> None:
    """End cells all at once, and wait until their last processes are gone."""
    pids = [pid for cell in cells for pid in (cell, *children_of(cell))]
    for cell in cells:
        os.kill(cell, signal.SIGKILL)
    wait_until(lambda: not any(is_there(pid) for pid in pids))


def reasons(result: ScenarioResult) -> list[tuple[str, str]]:
    return [(check.what, check.seen) for _, check in result.failures]


def test_a_cell_that_is_lost_is_started_again_or_fails_its_scenarios_only(
    tmp_path: Path, small_cell: Path
) -> None:
    other = tmp_path / "other.toml"
    other.write_bytes(small_cell.read_bytes())
    files = [write(tmp_path, name) for name in ("one", "two", "three")]
    files.append(write(tmp_path, "four", "other"))
    before = set(children_of(os.getpid()))
    results = []
    for result in Suite(files, recordings=tmp_path).run():
        results.append(result)
        if len(results) <= 2:
            crash(set(children_of(os.getpid())) - before)
        if len(results) == 2:
            small_cell.write_text("nonsense", encoding="utf-8")  # it cannot be started again
    one, two, three, four = results
    assert [one.outcome, two.outcome, four.outcome] == [Outcome.PASSED] * 3
    assert three.outcome is Outcome.FAILED
    ((what, seen),) = reasons(three)
    assert what == "cell"
    assert "small.toml" in seen
    assert set(children_of(os.getpid())) == before


def test_a_cell_that_is_lost_on_the_way_fails_its_scenario(
    tmp_path: Path, small_cell: Path
) -> None:
    files = [write(tmp_path, "long", for_s=3600.0), write(tmp_path, "short")]
    before = set(children_of(os.getpid()))
    suite = Suite(files, recordings=tmp_path)

    def crash_soon(line: str) -> None:
        if line == "1 of 2: long":
            pids = set(children_of(os.getpid())) - before
            threading.Timer(1.0, crash, [pids]).start()

    lost, after = suite.run(crash_soon)
    assert lost.outcome is Outcome.FAILED
    assert reasons(lost)[0][0] == "cell"
    assert reasons(lost)[0][1]  # it says why
    assert after.outcome is Outcome.PASSED


def test_an_interrupted_run_reports_what_was_run(tmp_path: Path, small_cell: Path) -> None:
    write(tmp_path, "short")
    write(tmp_path, "long", for_s=3600.0)
    test = command("test", "short.toml", "long.toml", "--report", "r.html", "--junit", "j.xml")
    with subprocess.Popen(
        test,
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
        # pytest may run in the background, where Ctrl-C is ignored
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        assert process.stdout
        assert process.stdout.readline().startswith("PASSED  short")
        process.send_signal(signal.SIGINT)
        assert "1 of 2 passed" in process.stdout.read()
    assert process.returncode == 130
    assert "1 of 2 scenarios passed" in (tmp_path / "r.html").read_text(encoding="utf-8")
    cases = {case.get("name"): case for case in ET.parse(tmp_path / "j.xml").iter("testcase")}
    assert cases["short"].find("skipped") is None
    assert cases["long"].find("skipped") is not None
