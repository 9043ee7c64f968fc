"""What a failed test leaves behind: a recording of its run, the signals it looked at, a picture.

Somebody else's cell is not recorded: who runs it decides that.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from twincell.server.files.atomic import blamed, whole_file
from twincell.server.kit.catalogue import Kind
from twincell.server.kit.cell_under_test import CellUnderTest
from twincell.server.kit.golden import shown_exactly
from twincell.server.kit.run_recording import NAME, RunRecording
from twincell.server.kit.traces import Trace

MOST_DRAWN = 24  # panels; chosen: more do not fit a page
PANEL_INCHES, WIDTH_INCHES = 1.1, 11.0


def keep(
    cell: CellUnderTest, recording: RunRecording | None, folder: Path, test: str
) -> Iterator[tuple[str, Path]]:
    """Write what a failed test leaves below a folder; each file with what it is."""
    own = folder / re.sub(r"[^A-Za-z0-9._-]+", "_", test)
    if recording is not None and (kept := recording.keep(own / NAME)):
        yield "recording", kept
    names = list(cell.looked_at)
    if not names:
        return
    own.mkdir(parents=True, exist_ok=True)
    traces = cell.traces(names)
    write_csv(own / "traces.csv", traces)
    yield "traces", own / "traces.csv"
    draw(own / "signals.png", traces[:MOST_DRAWN], test)
    yield "plot", own / "signals.png"


def write_csv(path: Path, traces: Sequence[Trace]) -> None:
    """One line a tick, one column a signal."""
    with whole_file(path) as hidden, blamed(path), hidden.open("w", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["time", *(trace.signal.name for trace in traces)])
        columns = [[shown_exactly(trace.value(one)) for one in trace.numbers] for trace in traces]
        lines.writerows(zip(traces[0].time_s.tolist(), *columns, strict=True))


def draw(path: Path, traces: Sequence[Trace], title: str) -> None:
    """One panel a signal, all over the same time."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from twincell.server.report.plot_style import COLOURS, STYLE

    with mpl.rc_context(STYLE), whole_file(path) as hidden:
        height = PANEL_INCHES * len(traces) + 0.8
        figure = Figure(figsize=(WIDTH_INCHES, height), layout="constrained")
        panels = figure.subplots(len(traces), 1, sharex=True, squeeze=False)[:, 0]
        for axes, trace in zip(panels, traces, strict=True):
            style = "default" if trace.signal.kind is Kind.NUMBER else "steps-post"
            axes.plot(trace.time_s, trace.numbers, drawstyle=style, color=COLOURS[0], linewidth=1.1)
            unit = f" [{trace.signal.unit}]" if trace.signal.unit else ""
            axes.set_title(f"{trace.signal.name}{unit}", loc="left", fontsize=9.5)
            if trace.signal.kind is Kind.TEXT:
                codes = sorted(set(trace.numbers.tolist()))
                axes.set_yticks(codes, [str(trace.value(one)) or "nobody" for one in codes])
        panels[-1].set_xlabel("simulated time [s]")
        figure.suptitle(title, fontsize=11)
        with blamed(path):
            figure.savefig(hidden, format="png", dpi=110)
