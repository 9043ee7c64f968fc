"""Reports of what is seldom: numbers that are none, names with control characters, gone files."""

import hashlib
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from asyncua import ua

from twincell.server.kit.catalogue import Kind, SignalFacts
from twincell.server.kit.junit import junit_xml
from twincell.server.kit.report import Handover, report_html
from twincell.server.kit.samples import Floats
from twincell.server.kit.scenario_load import load_scenario
from twincell.server.kit.scenario_result import (
    Outcome,
    ScenarioResult,
    result_not_run,
    result_without_cell,
)
from twincell.server.kit.traces import Trace
from twincell.sim.spec import SpecError

SCENARIO = """\
name = "{name}"
cell = "tool_change_single"

[[step]]
name = "wait"
expect = {{ "Tool1.Force.Z" = {{ below = 12.0 }} }}
"""


BY_SCENARIOS = Handover("the scenarios")


def passed(folder: Path, numbers: Floats, name: str = "Tried") -> ScenarioResult:
    file = folder / "tried.toml"
    file.write_text(SCENARIO.format(name=name), encoding="utf-8")
    result = result_not_run(load_scenario(file), file)
    result.steps[0].outcome = Outcome.PASSED
    ticks = np.arange(len(numbers))
    force = SignalFacts(
        "Tool1.Force.Z", Kind.NUMBER, "N", False, "", ua.NodeId(ua.ObjectIds.Double), (0.0, 1.0)
    )
    result.traces = [Trace(force, ticks, ticks * 1e-3, numbers)]
    return result


@pytest.mark.parametrize(
    ("numbers", "n_curve"),
    [
        ([1.0, 2.0, np.nan, 3.0, 4.0], 2),
        ([1.0, 2.0, np.inf, -np.inf], 1),
        ([1.0, 1e308, -1e308, 2.0], 2),
        ([np.nan, np.nan], 0),
        ([1.0, 2.0, 3.0], 1),
    ],
)
def test_what_is_no_number_is_a_gap_in_the_picture(
    tmp_path: Path, numbers: list[float], n_curve: int
) -> None:
    page = report_html([passed(tmp_path, np.array(numbers))], BY_SCENARIOS)
    assert page.count("<polyline") == n_curve
    assert "nan" not in page.partition("<svg")[2]
    assert "inf" not in page.partition("<svg")[2]


def test_a_control_character_in_a_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="name: has the character"):
        passed(tmp_path, np.zeros(3), name="WakeSignal \\u0007 and \\u001b[31m red")


def test_a_control_character_in_a_failure_leaves_the_results_readable(tmp_path: Path) -> None:
    result = passed(tmp_path, np.zeros(3))
    lost = result_without_cell(result.scenario, result.file, "said \x00")
    (failure,) = ET.fromstring(junit_xml([lost])).iter("failure")
    assert "said \ufffd" in str(failure.get("message"))


def test_the_fingerprints_are_of_what_was_run(tmp_path: Path) -> None:
    result = passed(tmp_path, np.zeros(3))
    result.cell_name, result.cell_fingerprint = "tool_change_single", 64 * "a"
    was = hashlib.sha256(result.file.read_bytes()).hexdigest()[:12]
    result.file.write_text("changed")
    assert f"SHA-256 {was}" in report_html([result], BY_SCENARIOS)
    result.file.unlink()
    page = report_html([result], BY_SCENARIOS)
    assert f"SHA-256 {was}" in page
    assert f"tool_change_single, SHA-256 {12 * 'a'}…" in page
