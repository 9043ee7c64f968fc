"""twincell diff: where two recordings of a cell part."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twincell.server.cli import screen
from twincell.server.cli.recording_file import (
    SignalsOption,
    chosen_signals,
    open_recording,
    sampled,
)
from twincell.server.errors import Refusal

if TYPE_CHECKING:
    from twincell.server.recording.compare import Comparison
    from twincell.server.recording.recording import Recording

DIFFERENT = 1  # exit code; 2: they cannot be compared
MOST_LISTED = 20  # signals; chosen: the rest is seldom better news


def diff(
    one: Annotated[Path, typer.Argument(metavar="A.mcap", help="A recording.")],
    other: Annotated[Path, typer.Argument(metavar="B.mcap", help="Another one.")],
    absolute: Annotated[
        float, typer.Option("--abs", min=0.0, help="Deviation to accept, in a signal's unit.")
    ] = 0.0,
    relative: Annotated[
        float, typer.Option("--rel", min=0.0, help="Deviation to accept, as a share of the value.")
    ] = 0.0,
    signals: SignalsOption = None,
) -> None:
    """Compare two recordings; exit code 0: equal, 1: different, 2: they cannot be compared."""
    from twincell.server.recording.compare import Comparison

    first, second = open_recording(one), open_recording(other)
    names = [signal.name for signal in chosen_signals(first, signals)]
    _check(first, second, names)
    found = Comparison(names, absolute, relative)
    found.run(_parts(first, names), _parts(second, names))
    if found.rows == 0:
        raise Refusal(f"{one} and {other} have no tick in common")
    for path, rows in ((one, found.only_in_one), (other, found.only_in_other)):
        if rows:
            print(f"note: {rows} rows at the end of {path} have no counterpart", file=sys.stderr)
    _print(found, first.facts.step_s)
    if found.first is not None:
        raise typer.Exit(DIFFERENT)


def _check(first: Recording, second: Recording, names: list[str]) -> None:
    """Refuse recordings of which no row could be the same."""
    a, b = first.facts, second.facts
    both = f"{first.path} and {second.path}"
    missing = [name for name in names if name not in second.signals]
    if missing:
        other = f" ({b.cell})" if b.cell != a.cell else ""
        hint = "compare what both have: --signals NAME"
        raise Refusal(f"{second.path}{other}: has no signal {missing[0]}", hint)
    if a.step_s != b.step_s:
        raise Refusal(f"{both}: their steps differ: {a.step_s:g} s and {b.step_s:g} s")
    if a.every != b.every:
        raise Refusal(f"{both}: one keeps every {a.every}th row, the other every {b.every}th")
    if a.files.cell != b.files.cell:
        print(f"note: {both} are of different cell files", file=sys.stderr)


def _parts(recording: Recording, names: list[str]) -> Iterator[tuple[Any, Any]]:
    columns = [recording.signals[name].column for name in names]
    for part in sampled(recording, 0.0, math.inf):
        yield part.ticks, part.values[:, columns].copy()


def _print(found: Comparison, step_s: float) -> None:
    from twincell.server.offline import time_of

    if found.first is None:
        print(f"{found.rows} rows are equal")
        return
    first = found.first
    at = f"tick {first.tick} (t = {time_of(first.tick, step_s):g} s)"
    print(f"first deviation: {at}: {first.signal}: {first.one!r} and {first.other!r}\n")
    numbers = ("greatest deviation", "at tick", "rows")
    listed = screen.table("signal", *numbers, numbers=numbers)
    for worst in found.worst[:MOST_LISTED]:
        deviation = f"{worst.deviation:.6g}"
        listed.add_row(worst.signal, deviation, str(worst.tick), str(worst.count))
    screen.print_section(listed, left_out=max(0, len(found.worst) - MOST_LISTED))
    print(f"{found.rows} rows compared")
