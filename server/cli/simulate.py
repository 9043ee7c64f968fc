"""twincell simulate: run a cell offline and say what happened.

Rows are used chunk by chunk and then forgotten: the CSV file grows as the run does, the plot keeps
a fixed number of time slices, the table keeps events. So a run needs the same memory however long
it is. Files get their names only when they are complete.
"""

from __future__ import annotations

import json
import math
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twincell.server.cli.cell_file import CellArgument, compile_cell
from twincell.server.cli.exit_codes import FAULT
from twincell.server.cli.recording_file import check_new_file, offline_recording
from twincell.server.cli.start_overlaps import tell_overlaps
from twincell.server.cli.warm_up import warm_up
from twincell.server.errors import Refusal
from twincell.server.files.atomic import blamed, whole_file
from twincell.server.files.cells import find_cell

if TYPE_CHECKING:
    from twincell.server.offline import OfflineRun
    from twincell.server.report.curves import Curves
    from twincell.server.report.run_summary import RunSummary
    from twincell.sim.cell import Cell
    from twincell.sim.spec import CellSpec

MOST_TICKS = 10**9  # chosen: eleven days at 1 ms; more is a slip of the keyboard
PLOT_FORMATS = (".png", ".svg", ".pdf")


def simulate(
    cell: CellArgument,
    until: Annotated[
        float, typer.Option(metavar="SECONDS", help="Simulated time to run for.")
    ] = 10.0,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Write time and all signals as CSV.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE.png", help="Draw partners, forces and drives (png, svg, pdf)."),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE.mcap", help="Record every row, bit by bit, into a new file."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of tables.")
    ] = False,
) -> None:
    """Run a cell with the commands of its timeline; print what happened and how fast it was."""
    _check_options(cell, until, out, plot)
    if record:
        check_new_file("--record", record)
    spec, compiled = compile_cell(cell)
    _check_models(spec, out, plot)
    ticks = _ticks(until, compiled.step_s)

    from twincell.server.offline import OfflineRun
    from twincell.server.report.run_summary import story_of

    run = OfflineRun(compiled, ticks)
    summary = story_of(spec, compiled.signals, compiled.step_s)
    with ExitStack() as files:
        # opened before anything is simulated, so that a bad path is known at once
        csv_path = files.enter_context(whole_file(out)) if out else None
        plot_path = files.enter_context(whole_file(plot)) if plot else None
        warm_up(compiled)
        tell_overlaps(compiled)
        curves = _run(run, summary, csv_path, out, record, with_curves=plot is not None)
        if plot_path and plot and curves:
            _draw(plot_path, plot, spec, run, summary, curves)

    if as_json:
        _print_json(find_cell(cell).stem, run)
    else:
        from twincell.server.cli.run_report import print_report

        print_report(run, summary, [path for path in (out, plot, record) if path])
    if compiled.fault is not None:
        _tell_fault(compiled)
        raise typer.Exit(FAULT)


def _check_options(cell: str, until: float, out: Path | None, plot: Path | None) -> None:
    if not math.isfinite(until) or until <= 0:
        raise Refusal(f"--until {until:g}: must be a time in seconds greater than 0")
    if plot and plot.suffix.lower() not in PLOT_FORMATS:
        known = ", ".join(PLOT_FORMATS)
        raise Refusal(f"--plot {plot}: unknown kind of picture", f"end the name with {known}")
    for option, path in (("--out", out), ("--plot", plot)):
        if path and path.resolve() == find_cell(cell).resolve():
            raise Refusal(f"{option} {path}: is the cell file itself", "give another name")
    if out and plot and out.resolve() == plot.resolve():
        raise Refusal(f"--out and --plot both name {out}", "give them different names")


def _check_models(spec: CellSpec, out: Path | None, plot: Path | None) -> None:
    """Nothing is written over a model file of the cell."""
    models = {Path(model.file).resolve(): name for name, model in spec.robot_models.items()}
    for option, path in (("--out", out), ("--plot", plot)):
        if path and path.resolve() in models:
            name = models[path.resolve()]
            raise Refusal(f"{option} {path}: is the model file of {name}", "give another name")


def _ticks(until: float, step_s: float) -> int:
    ticks = until / step_s
    if ticks > MOST_TICKS:
        longest = MOST_TICKS * step_s
        raise Refusal(f"--until {until:g}: too long", f"at most {longest:g} s with this step")
    if round(ticks) < 1:
        raise Refusal(f"--until {until:g}: shorter than one step of {step_s * 1e3:g} ms")
    return round(ticks)


def _run(
    run: OfflineRun,
    summary: RunSummary,
    csv_path: Path | None,
    out: Path | None,
    record: Path | None,
    with_curves: bool,
) -> Curves | None:
    """Simulate, and give every chunk of rows to whoever wants it."""
    from twincell.server.cli.run_progress import progress_of
    from twincell.server.files.csv import CsvFile

    signals, step_s = run.cell.signals, run.cell.step_s
    curves = None
    if with_curves:
        from twincell.server.report.plot import curves_of

        curves = curves_of(summary, signals, step_s)
    with ExitStack() as files:
        csv = None
        if csv_path and out:
            csv = files.enter_context(CsvFile(csv_path, out, signals, step_s))
        recording = None
        if record:  # what there is when it is interrupted is a recording, too
            recording = files.enter_context(closing(offline_recording(record, run.cell)))
        for rows in progress_of(run):
            summary.append(rows)
            if recording:
                recording.append(rows)
            if csv:
                csv.append(rows)
            if curves:
                curves.append(rows)
    return curves


def _draw(
    path: Path, plot: Path, spec: CellSpec, run: OfflineRun, summary: RunSummary, curves: Curves
) -> None:
    from twincell.server.report.plot import draw

    fault = run.cell.fault
    with blamed(plot):
        draw(
            path,
            picture_format=plot.suffix.lower().removeprefix("."),
            title=spec.name,
            end_s=run.simulated_s,
            fault=None if fault is None else f"fault: {fault.object}",
            summary=summary,
            curves=curves,
        )


def _print_json(name: str, run: OfflineRun) -> None:
    result: dict[str, object] = {
        "cell": name,
        "simulated_s": run.simulated_s,
        "wall_s": run.wall_s,
        "real_time_factor": run.real_time_factor,
        "ticks": run.ticks,
    }
    fault = run.cell.fault
    if fault is not None:
        result["fault"] = {"object": fault.object, "tick": fault.tick, "text": fault.text}
    print(json.dumps(result))


def _tell_fault(cell: Cell) -> None:
    from twincell.server.cli import screen
    from twincell.server.offline import time_of

    fault = cell.fault
    if fault is not None:
        at = f"at tick {fault.tick} (t = {time_of(fault.tick, cell.step_s):g} s)"
        screen.notes().print(f"fault: {fault.object}: {fault.text} {at}")
