"""twincell export: a recording as CSV, or as MCAP that any tool reads."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twincell.server.cli.recording_file import (
    ENDING,
    FileArgument,
    FromOption,
    Sampled,
    SignalsOption,
    ToOption,
    check_new_file,
    check_span,
    chosen_signals,
    open_recording,
    sampled,
)
from twincell.server.errors import Refusal

if TYPE_CHECKING:
    from twincell.sim.signals import Signal

CSV = ".csv"


def export(
    file: FileArgument,
    out: Annotated[
        Path,
        typer.Option(
            metavar="FILE.csv|.mcap",
            help="CSV, or plain MCAP: JSON messages for Foxglove and PlotJuggler.",
            show_default=False,
        ),
    ],
    signals: SignalsOption = None,
    from_s: FromOption = 0.0,
    to_s: ToOption = math.inf,
) -> None:
    """Write the signals of a recording, at its full rate, into a file for other tools."""
    check_span(from_s, to_s)
    if out.suffix not in (CSV, ENDING):
        raise Refusal(f"--out {out}: unknown kind of file", f"end the name with {CSV} or {ENDING}")
    if out.resolve() == file.resolve():
        raise Refusal(f"--out {out}: is the recording itself", "give another name")
    recording = open_recording(file)
    chosen = chosen_signals(recording, signals)
    rows = sampled(recording, from_s, to_s)
    write = _write_csv if out.suffix == CSV else _write_mcap
    print(f"{write(out, chosen, rows, recording.facts.step_s)} rows written: {out}")


def _write_csv(out: Path, chosen: list[Signal], rows: Iterator[Sampled], step_s: float) -> int:
    from twincell.server.files.atomic import whole_file
    from twincell.server.files.csv import CsvFile
    from twincell.sim.signals import SignalTable

    columns = [signal.column for signal in chosen]
    table = SignalTable(replace(signal, column=k) for k, signal in enumerate(chosen))
    count = 0
    with whole_file(out) as path, CsvFile(path, out, table, step_s) as csv:
        for part in rows:
            csv.append(part.values[:, columns], part.ticks.tolist())
            count += len(part.ticks)
    return count


def _write_mcap(out: Path, chosen: list[Signal], rows: Iterator[Sampled], step_s: float) -> int:
    from twincell.server.realtime.stamps import UNIT_NS, UNITS_1601_TO_1970
    from twincell.server.recording.mcap_bounds import LARGE
    from twincell.server.recording.mcap_file import McapFile
    from twincell.server.recording.object_messages import ObjectMessages

    check_new_file("--out", out)
    count = 0
    file = McapFile(out)
    try:
        messages = ObjectMessages(file, chosen, step_s)
        for part in rows:
            times_ns = (part.stamps - UNITS_1601_TO_1970) * UNIT_NS
            for tick, time_ns, row in zip(part.ticks, times_ns, part.values, strict=True):
                messages.add(int(tick), int(time_ns), row.tolist())
            count += len(part.ticks)
            if file.waiting > LARGE:
                file.commit()
        file.close()
    except BaseException:
        out.unlink(missing_ok=True)  # the recording is still there: half an export helps nobody
        raise
    return count
