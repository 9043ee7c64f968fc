"""Results as JUnit XML, which build servers show: a test case for each scenario."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence

from twincell.server.kit.scenario_result import Check, Outcome, ScenarioResult, StepResult

NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, 2.2


def junit_xml(results: Sequence[ScenarioResult]) -> bytes:
    """All scenarios as one suite."""
    failed = sum(result.outcome is Outcome.FAILED for result in results)
    suite = ET.Element("testsuite", name="twincell test", tests=str(len(results)))
    suite.set("failures", str(failed))
    suite.set("errors", "0")
    suite.set("skipped", str(sum(result.outcome is Outcome.NOT_RUN for result in results)))
    suite.set("time", f"{sum(result.wall_s for result in results):.3f}")
    for result in results:
        case = ET.SubElement(suite, "testcase", name=_printable(result.scenario.name))
        case.set("classname", _printable(result.file.stem))
        case.set("time", f"{result.wall_s:.3f}")
        facts = {
            "cell": result.cell_name,
            "simulated_s": f"{result.simulated_s:.3f}",
            "checks": str(len(result.checks)),
        }
        properties = ET.SubElement(case, "properties")
        for name, value in facts.items():
            ET.SubElement(properties, "property", name=name, value=_printable(value))
        if result.outcome is Outcome.FAILED:
            told = [_printable(failure_text(*failure)) for failure in result.failures]
            ET.SubElement(case, "failure", message=told[0]).text = "\n".join(told)
        elif result.outcome is Outcome.NOT_RUN:
            ET.SubElement(case, "skipped", message="the run ended before")
    ET.indent(suite)
    return ET.tostring(suite, encoding="utf-8", xml_declaration=True)


def _printable(text: str) -> str:
    """A text without what XML cannot hold: control characters and halves of surrogate pairs."""
    return NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def failure_text(step: StepResult, check: Check) -> str:
    """What failed, in one line."""
    what = f"{check.what} {check.signal}".strip()
    limit = f" within {check.limit_s:g} s" if check.limit_s is not None else ""
    seen = f"seen {check.seen} at {check.at_s:.3f} s"
    return f'step "{step.name}": {what} {check.wanted}{limit}; {seen}'
