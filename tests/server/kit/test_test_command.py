"""`twincell test` as a user runs it: exit codes, tables, reports."""

import re
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

from tests.server.running_cell import running
from tests.server.twincell_command import Ended, command, environment

GOOD = """\
name = "The flange takes the tool & lifts it"
cell = "small.toml"
never = { "Tool.Force.Z" = { above = 1000.0 } }

[[step]]
name = "close"
set = { "Flange.Closed" = true }
expect = { "Tool.Partner" = "Flange" }
within_s = 0.1

[[step]]
name = "lifted"
expect = { "Tool.Pose.Z" = { above = 0.99 } }
within_s = 2.0
"""
FAILING = """\
name = "The flange takes the tool by itself"
cell = "small.toml"

[[step]]
name = "wait <for> it"
expect = { "Tool.Partner" = "Flange" }
within_s = 0.2

[[step]]
name = "never reached"
for_s = 1.0
"""
WATCHING = """\
name = "Somebody else closes the flange"
cell = "small.toml"

[[step]]
name = "the controller closes the flange"
expect = { "Flange.IsClosed" = true }
within_s = 60.0
for_s = 0.1
"""


class _Tags(HTMLParser):
    """Every tag that is opened, and what is closed in another order than it was opened."""

    VOID = ("meta", "br")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: object) -> None:
        self.seen.add(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: object) -> None:
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_scenarios_are_run_and_reported(
    twincell: Callable[..., Ended], tmp_path: Path, small_cell: Path
) -> None:
    (tmp_path / "good.toml").write_text(GOOD)
    (tmp_path / "failing.toml").write_text(FAILING)
    report = ("--report", "report.html", "--tester", "A. <Smith>")
    ended = twincell("test", "good.toml", "failing.toml", *report, "--junit", "junit.xml")
    assert ended.code == 1, ended.err
    assert "PASSED  The flange takes the tool & lifts it" in ended.out
    told = (
        'step "wait <for> it": expect Tool.Partner "Flange" within 0.2 s; seen "Holder" at 0.200 s'
    )
    assert told in ended.out
    assert "1 of 2 passed" in ended.out
    assert [path.name for path in tmp_path.glob("*.mcap")] == ["failing.mcap"]

    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    tags = _Tags(page)
    assert tags.open == []
    assert {"svg", "polyline", "table", "style"} <= tags.seen
    assert "script" not in tags.seen
    assert not re.search(r"(src|href)=\"(?!#)", page)  # nothing is fetched from anywhere
    assert "wait &lt;for&gt; it" in page
    assert "not run" in page
    assert "<dt>Tester</dt><dd>A. &lt;Smith&gt;</dd>" in page
    for name in ("PLC program", "Signature"):  # to be filled in by hand
        assert f'<dt>{name}</dt><dd><span class="blank"></span></dd>' in page
    # good.toml has two steps; what it never allows is a check, but no step
    assert '<td class="number">2</td><td class="number">3</td>' in page
    assert "3. During the whole scenario" not in page

    suite = ET.parse(tmp_path / "junit.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    (failure,) = suite.iter("failure")
    assert failure.get("message") == told


def test_broken_scenarios_are_told_together_and_nothing_runs(
    twincell: Callable[..., Ended], tmp_path: Path, small_cell: Path
) -> None:
    (tmp_path / "one.toml").write_text(GOOD.replace("set =", "sett ="))
    (tmp_path / "two.toml").write_text(FAILING.replace("within_s", "wthin_s"))
    broken = twincell("test", "one.toml", "two.toml", "--report", "report.html")
    assert broken.code == 2
    assert "one.toml:7: step[0].sett: unknown key" in broken.err
    assert "two.toml:7: step[0].wthin_s: unknown key" in broken.err
    assert not (tmp_path / "report.html").exists()

    (tmp_path / "one.toml").write_text(GOOD.replace("Tool.Partner", "Tol.Partner"))
    unknown = twincell("test", "one.toml")
    assert unknown.code == 2
    assert 'one.toml:8: step[0].expect."Tol.Partner": there is no signal Tol.Partner' in unknown.err
    assert "hint: did you mean Tool.Partner?" in unknown.err


def test_wrong_keys_and_wrong_signals_are_told_together(
    twincell: Callable[..., Ended], tmp_path: Path, small_cell: Path
) -> None:
    wrong = GOOD.replace("within_s = 0.1", "wthin_s = 0.1").replace("Tool.Partner", "Tol.Partner")
    (tmp_path / "one.toml").write_text(
        wrong.replace('"Flange.Closed" = true', '"Flange.Clsed" = 1')
    )
    (tmp_path / "two.toml").write_text(GOOD.replace('"Tool.Force.Z" = {', '"Tool.Forc.Z" = {'))
    ended = twincell("test", "one.toml", "two.toml")
    assert ended.code == 2
    assert [line for line in ended.err.splitlines() if not line.startswith("  hint: ")] == [
        'one.toml:7: step[0].set."Flange.Clsed": there is no command Flange.Clsed',
        'one.toml:8: step[0].expect."Tol.Partner": there is no signal Tol.Partner',
        "one.toml:9: step[0].wthin_s: unknown key",
        'two.toml:3: never."Tool.Forc.Z": there is no signal Tool.Forc.Z',
    ]


def test_a_running_cell_is_watched(
    twincell: Callable[..., Ended], tmp_path: Path, small_cell: Path
) -> None:
    (tmp_path / "watching.toml").write_text(WATCHING)
    with running(tmp_path, small_cell, "--port", 0, "--no-demo") as cell:
        opened = twincell("write", cell.url, "Flange.Closed=false")  # ends the timeline
        assert opened.code == 0, opened.err
        closing = command("write", cell.url, "Flange.Closed=true")
        with subprocess.Popen(closing, env=environment(), stdout=subprocess.DEVNULL):
            ended = twincell("test", "watching.toml", "--url", cell.url)
        assert (ended.code, ended.err) == (0, ""), ended.out
    nobody = twincell("test", "watching.toml", "--url", cell.url)
    assert nobody.code == 2
    assert "cannot be reached" in nobody.err


def test_bad_arguments_are_named(
    twincell: Callable[..., Ended], tmp_path: Path, small_cell: Path
) -> None:
    for arguments, told in (
        (["nothing.toml"], "nothing.toml: there is no such file"),
        (["tool_chnge"], "did you mean tool_change?"),
        ([tmp_path / "empty"], "has no scenario files"),
        (["both_solenoid"], "did you mean both_solenoids?"),
        (["notes.txt"], "notes.txt: is no scenario"),
        (["both_solenoids", "--report", "no/r.html"], "there is no folder no"),
        (["both_solenoids", "--report", "r.pdf"], "end the name with .html"),
        (["both_solenoids", "--tester", "me"], "--tester me: is for the report"),
        (["both_solenoids", "--reset"], "give its address with --url"),
    ):
        (tmp_path / "notes.txt").touch()
        (tmp_path / "empty").mkdir(exist_ok=True)
        ended = twincell("test", *arguments)
        assert ended.code == 2
        assert told in ended.err


def test_the_schema_of_scenarios_is_printed(twincell: Callable[..., Ended]) -> None:
    ended = twincell("schema", "--scenario")
    assert ended.code == 0
    assert '"title": "twincell scenario"' in ended.out
    assert '"within_s"' in ended.out
