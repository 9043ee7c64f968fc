"""twincell test: run scenario files against a cell, and report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twincell.server.cli import screen
from twincell.server.cli.client_login import SecureOption, UserOption
from twincell.server.cli.scenario_file import ScenarioArgument, find_scenarios
from twincell.server.cli.security_option import SecurityOption
from twincell.server.client.login_options import LoginOptions
from twincell.server.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from twincell.server.kit.report import Handover
    from twincell.server.kit.scenario_result import ScenarioResult
    from twincell.server.kit.suite import Suite

FAILED = 1  # exit code: a check failed


def test(
    scenarios: ScenarioArgument,
    url: Annotated[
        str,
        typer.Option(
            metavar="URL",
            help="Test the cell that runs there, in real time, such as one that a PLC drives.",
            show_default=False,
        ),
    ] = "",
    reset: Annotated[
        bool, typer.Option("--reset", help="With --url: put the cell back to its start each time.")
    ] = False,
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.html",
            help="Write a report to hand over; what failed leaves a recording beside it.",
            show_default=False,
        ),
    ] = None,
    junit: Annotated[
        Path | None,
        typer.Option(metavar="FILE.xml", help="Write JUnit results.", show_default=False),
    ] = None,
    tester: Annotated[
        str, typer.Option(metavar="NAME", help="Who tests, for the report.", show_default=False)
    ] = "",
    plc_program: Annotated[
        str,
        typer.Option(
            metavar="TEXT",
            help="The PLC program under test and its version, for the report.",
            show_default=False,
        ),
    ] = "",
    user: UserOption = "",
    secure: SecureOption = False,
    security: SecurityOption = None,
) -> None:
    """Run scenarios, and say what passed and by which margin."""
    files = find_scenarios(scenarios)
    for path, name in ((report, "--report"), (junit, "--junit")):
        if path is not None and path.resolve() in [file.resolve() for file in files]:
            raise Refusal(f"{name} {path}: is a scenario file itself", "give another name")
        if path is not None and not path.parent.is_dir():
            raise Refusal(f"{name} {path}: there is no folder {path.parent}")
    if report is not None and report.suffix.lower() not in (".html", ".htm"):
        raise Refusal(f"--report {report}: a report is a page", "end the name with .html")
    for name, text in (("--tester", tester), ("--plc-program", plc_program)):
        if text and report is None:
            raise Refusal(f"{name} {text}: is for the report", "give --report FILE.html too")
    if reset and not url:
        raise Refusal("--reset: is for a cell that runs already", "give its address with --url")

    from twincell.server.kit.report import Handover
    from twincell.server.kit.suite import Suite
    from twincell.server.kit.suite_cells import Attached

    attached = Attached(url, LoginOptions(user, secure, security), reset) if url else None
    suite = Suite(files, attached, report.parent if report else None)
    results: list[ScenarioResult] = []
    try:
        _run(suite, results)
    finally:  # whatever ended it: what was run is not lost
        if results:
            results += suite.not_run(results)
            _print_table(results)
            driven_by = f"an outside controller at {url}" if url else "the scenarios"
            _write(results, report, junit, Handover(driven_by, tester, plc_program))
    if any(result.failures for result in results):
        raise typer.Exit(FAILED)


def _run(suite: Suite, results: list[ScenarioResult]) -> None:
    """Run everything, with a line for each scenario as it ends."""
    from rich.status import Status

    line = Status("starting the cells", console=screen.notes())
    if screen.somebody_watches():
        line.start()
    try:
        for result in suite.run(line.update):
            line.stop()  # while it moves, it takes what is printed for its own
            results.append(result)
            _print_result(result)
            if screen.somebody_watches():
                line.start()
    finally:
        line.stop()


def _print_result(result: ScenarioResult) -> None:
    from twincell.server.kit.junit import failure_text

    took = f"{result.simulated_s:.2f} s simulated in {result.wall_s:.2f} s"
    print(f"{result.outcome.value.upper()}  {result.scenario.name}  ({took})", flush=True)
    for failure in result.failures:
        print(f"        {failure_text(*failure)}", flush=True)
    if result.recording:
        print(f"        recording: {result.recording}", flush=True)


def _print_table(results: Sequence[ScenarioResult]) -> None:
    from twincell.server.kit.scenario_result import Outcome, tightest

    numbers = ("checks", "simulated [s]", "took [s]", "smallest margin")
    listed = screen.table("scenario", *numbers, "result", numbers=numbers)
    for result in results:
        margin = tightest(result.checks)
        listed.add_row(
            result.scenario.name,
            str(len(result.checks)),
            f"{result.simulated_s:.2f}",
            f"{result.wall_s:.2f}",
            "-" if margin is None else f"{margin:.0%}",
            result.outcome.value,
        )
    print()
    screen.print_section(listed)
    passed = sum(result.outcome is Outcome.PASSED for result in results)
    simulated = sum(result.simulated_s for result in results)
    wall = sum(result.wall_s for result in results)
    print(f"{passed} of {len(results)} passed; {simulated:.1f} s simulated in {wall:.1f} s")


def _write(
    results: Sequence[ScenarioResult], report: Path | None, junit: Path | None, handover: Handover
) -> None:
    from twincell.server.files.atomic import blamed, whole_file
    from twincell.server.kit.junit import junit_xml
    from twincell.server.kit.report import report_html

    if report is not None:
        with whole_file(report) as hidden, blamed(report):
            hidden.write_text(report_html(results, handover), encoding="utf-8")
        print(f"written: {report}")
    if junit is not None:
        with whole_file(junit) as hidden, blamed(junit):
            hidden.write_bytes(junit_xml(results))
        print(f"written: {junit}")
