"""The report that a commissioning engineer hands over: one HTML page that needs nothing else."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import NamedTuple

from twincell import __version__
from twincell.server.kit.report_plot import plot
from twincell.server.kit.scenario_result import (
    Check,
    Outcome,
    ScenarioResult,
    StepResult,
    tightest,
)

FINGERPRINT = 12  # letters of it; chosen: enough to tell files of a project apart
BLANK = '<span class="blank"></span>'  # to be filled in by hand
STYLE = Path(__file__).with_name("report.css")
WHAT = {
    "when": "when",
    "expect": "expect",
    "for": "stays",
    "never": "never",
    "at": "time",
    "do": "do",
    "cell": "cell",
}


class Handover(NamedTuple):
    """What only people know about a test; what is left empty is a line to write on."""

    driven_by: str  # who commanded the cell
    tester: str = ""
    plc_program: str = ""  # the program that was tested, with its version


def report_html(results: Sequence[ScenarioResult], handover: Handover) -> str:
    """The whole page."""
    n_passed = sum(result.outcome is Outcome.PASSED for result in results)
    title = f"{n_passed} of {len(results)} scenarios passed"
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>twincell test report: {title}</title>",
        f"<style>{STYLE.read_text(encoding='utf-8')}</style></head><body>",
        "<h1>Test report</h1>",
        f'<p class="soft">{escape(title)}</p>',
        *_facts(results, handover),
        *_tiles(results, n_passed),
        *_summary(results),
    ]
    for number, result in enumerate(results, 1):
        parts += _scenario(number, result)
    parts.append(
        "<footer>Times are simulated times. A margin says how much slower or worse it may become"
        f" before the check fails. Made by twincell {escape(__version__)}.</footer></body></html>\n"
    )
    return "\n".join(parts)


def _facts(results: Sequence[ScenarioResult], handover: Handover) -> Iterator[str]:
    """What was tested, so that it can be found again: cell files by their fingerprints."""
    cells = dict.fromkeys(
        f"{one.cell_name}, SHA-256 {one.cell_fingerprint[:FINGERPRINT]}…"
        if one.cell_fingerprint
        else one.cell_name
        for one in results
        if one.cell_name  # else it was not run
    )
    facts = {
        "Cell": "; ".join(cells),
        "Driven by": handover.driven_by,
        "PLC program": handover.plc_program,
        "Tester": handover.tester,
        "Date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "twincell": __version__,
        "Signature": "",
    }
    yield '<dl class="facts">'
    for name, text in facts.items():
        yield f"<dt>{name}</dt><dd>{escape(text) or BLANK}</dd>"
    yield "</dl>"


def _tiles(results: Sequence[ScenarioResult], n_passed: int) -> Iterator[str]:
    checks = [check for result in results for check in result.checks]
    good = sum(check.outcome is Outcome.PASSED for check in checks)
    simulated = sum(result.simulated_s for result in results)
    wall = sum(result.wall_s for result in results)
    margin = tightest(checks)
    outcome = "passed" if n_passed == len(results) else "failed"
    yield '<div class="tiles">'
    yield _tile(f"{n_passed} / {len(results)}", "scenarios passed", outcome)
    yield _tile(f"{good} / {len(checks)}", "checks passed")
    yield _tile(f"{simulated:.1f} s", f"simulated, in {wall:.1f} s")
    yield _tile("-" if margin is None else f"{margin:.0%}", "smallest margin in time")
    yield "</div>"


def _tile(number: str, words: str, outcome: str = "") -> str:
    return f'<div class="tile {outcome}"><b>{escape(number)}</b><span>{escape(words)}</span></div>'


def _summary(results: Sequence[ScenarioResult]) -> Iterator[str]:
    """A line for each scenario, that leads to it."""
    yield "<h3>Scenarios</h3><table><thead><tr><th>Scenario</th><th>Cell</th>"
    yield '<th class="number">Steps</th><th class="number">Checks</th>'
    yield '<th class="number">Simulated</th><th class="number">Took</th>'
    yield '<th class="number">Smallest margin</th><th>Result</th></tr></thead><tbody>'
    for number, result in enumerate(results, 1):
        margin = tightest(result.checks)
        cells = [
            f'<td><a href="#s{number}">{escape(result.scenario.name)}</a></td>',
            f"<td>{escape(result.cell_name)}</td>",
            f'<td class="number">{len(result.steps)}</td>',
            f'<td class="number">{len(result.checks)}</td>',
            f'<td class="number">{result.simulated_s:.2f} s</td>',
            f'<td class="number">{result.wall_s:.2f} s</td>',
            f'<td class="number">{"-" if margin is None else f"{margin:.0%}"}</td>',
            f"<td>{_mark(result.outcome)}</td>",
        ]
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table>"


def _scenario(number: int, result: ScenarioResult) -> Iterator[str]:
    """One scenario: what it is about, its checks, its signals."""
    scenario = result.scenario
    yield f'<section id="s{number}"><header><h2>{number}. {escape(scenario.name)}</h2>'
    yield f"{_mark(result.outcome)}</header>"
    if scenario.description:
        yield f"<p>{escape(' '.join(scenario.description.split()))}</p>"
    fingerprint = scenario.fingerprint[:FINGERPRINT]
    yield f'<p class="soft">{escape(result.file.name)}, SHA-256 {fingerprint}…</p>'
    if result.recording:
        yield f'<p class="soft">Recording of this run: {escape(result.recording.name)}</p>'
    yield "<h3>Checks</h3><table><thead><tr><th>Check</th><th>Signal</th><th>Wanted</th>"
    yield '<th>Seen</th><th class="number">At [s]</th><th class="number">Margin in time</th>'
    yield '<th class="number">Margin in value</th><th>Result</th></tr></thead><tbody>'
    for place, step in enumerate(result.steps, 1):
        yield from _part(f"{place}. {step.name}", step)
    if result.whole:
        yield from _part(result.whole.name, result.whole)
    yield "</tbody></table>"
    if picture := plot(result):
        yield f"<h3>Signals</h3>{picture}"
    yield "</section>"


def _part(name: str, step: StepResult) -> Iterator[str]:
    span = f"{step.begun_s:.3f} to {step.ended_s:.3f} s"
    span = span if step.outcome is not Outcome.NOT_RUN else ""
    yield f'<tr class="step"><td colspan="6">{escape(name)}</td>'
    yield f'<td class="span number">{span}</td><td>{_mark(step.outcome)}</td></tr>'
    for check in step.checks:
        cells = [
            f"<td>{WHAT[check.what]}</td>",
            f"<td><code>{escape(check.signal)}</code></td>",
            f"<td>{escape(check.wanted)}</td>",
            f'<td class="seen">{escape(check.seen)}</td>',
            f'<td class="number">{check.at_s:.3f}</td>',
            f'<td class="number">{_time_margin(check)}</td>',
            f'<td class="number">{_value_margin(check)}</td>',
            f"<td>{_mark(check.outcome)}</td>",
        ]
        yield f'<tr class="check {check.outcome.value}">{"".join(cells)}</tr>'


def _time_margin(check: Check) -> str:
    """How much of its time a check left, also as a bar."""
    margin = check.time_margin_s
    if margin is None or not check.limit_s or check.took_s is None:
        return ""
    has_failed = check.outcome is Outcome.FAILED
    share = 1.0 if has_failed else min(max(margin / check.limit_s, 0.0), 1.0)
    full = " full" if has_failed else ""
    bar = f'<span class="bar{full}"><i style="width:{share:.0%}"></i></span>'
    return f"{margin:.3f} of {check.limit_s:g} s {bar}"


def _value_margin(check: Check) -> str:
    if check.value_margin is None:
        return ""
    return escape(f"{check.value_margin:.4g} {check.unit}".strip())


def _mark(outcome: Outcome) -> str:
    return f'<span class="mark {outcome.value.replace(" ", "-")}">{outcome.value}</span>'
