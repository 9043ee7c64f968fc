"""The shipped suite over the tool changer: the whole change, and 21 faults."""

from collections.abc import Callable
from pathlib import Path

from tests.server.twincell_command import Ended
from twincell.server.cli.scenario_file import SHIPPED
from twincell.server.kit.scenario_load import load_scenario

SUITE = SHIPPED / "tool_changer"


def test_every_fault_scenario_passes(twincell: Callable[..., Ended], tmp_path: Path) -> None:
    ended = twincell("test", SUITE, "--report", "report.html")
    assert ended.code == 0, ended.out + ended.err
    assert "22 of 22 passed" in ended.out


def test_there_are_21_faults_each_of_its_own_kind() -> None:
    scenarios = [load_scenario(file) for file in sorted(SUITE.glob("*.toml"))]
    assert len({scenario.name for scenario in scenarios}) == 22
    levers = {lever for one in scenarios for step in one.step for lever in step.fault}
    assert len(levers) >= 14  # the others are mistakes of a program, which need no lever
