"""Recordings as commands name them: files to read, and files that are not there yet."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from twincell.server.errors import Refusal

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from twincell.server.recording.facts import CellFiles
    from twincell.server.recording.offline_recording import OfflineRecording
    from twincell.server.recording.recorder import Wanted
    from twincell.server.recording.recording import Part, Recording
    from twincell.sim.cell import Cell
    from twincell.sim.signals import Signal

ENDING = ".mcap"

FileArgument = Annotated[
    Path, typer.Argument(metavar="FILE.mcap", help="A recording.", show_default=False)
]
SignalsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--signals",
        metavar="NAME",
        help="Only these: a signal, an object, or a pattern such as 'Tool*.Force.Z'; repeatable.",
    ),
]

FromOption = Annotated[
    float, typer.Option("--from", metavar="SECONDS", help="From this time on, since its start.")
]
ToOption = Annotated[
    float,
    typer.Option("--to", metavar="SECONDS", help="Up to this time.", show_default=False),
]


def open_recording(path: Path) -> Recording:
    """A recording, or the reason why this is none."""
    from twincell.server.recording.recording import NoRecording, Recording

    try:
        return Recording(path)
    except NoRecording as problem:
        raise Refusal(str(problem)) from None


def parts_of(recording: Recording) -> Iterator[Part]:
    """All parts of a recording; one that was cut off is told, and what there is of it is used."""
    from twincell.server.recording.recording import NoRecording

    try:
        yield from recording.parts()
    except NoRecording as problem:
        raise Refusal(str(problem)) from None
    if recording.damage:
        note = f"note: {recording.path}: {recording.damage}; everything before is used"
        print(note, file=sys.stderr)


def chosen_signals(recording: Recording, patterns: Sequence[str] | None) -> list[Signal]:
    """The signals of a recording that somebody wants; all if none are named."""
    from twincell.server.recording.facts import UnknownSignals, names_like
    from twincell.sim.spec.problems import did_you_mean

    names = [signal.name for signal in recording.signals]
    try:
        chosen = names_like(patterns, names) if patterns else names
    except UnknownSignals as problem:
        hint = (
            did_you_mean(str(problem).rpartition(" ")[2], names) or "try a pattern such as 'Tool*'"
        )
        raise Refusal(f"{recording.path}: {problem}", hint) from None
    return [recording.signals[name] for name in chosen]


def check_new_file(option: str, path: Path) -> None:
    """Refuse a file that cannot become a recording, before anything takes time."""
    if path.suffix != ENDING:
        raise Refusal(f"{option} {path}: a recording ends with {ENDING}")
    if path.exists():
        hint = "give another name, or remove it"
        raise Refusal(f"{option} {path}: is there already, and is not written over", hint)
    if not path.parent.is_dir():
        raise Refusal(f"{option} {path}: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise Refusal(f"{option} {path}: the folder {path.parent} is read-only")


def check_folder(option: str, path: Path) -> None:
    """Refuse a file where a folder for recordings is wanted; one that is not there yet is made."""
    for folder in (path, *path.parents):
        if folder.exists() and not folder.is_dir():
            hint = "name a folder; it is made with the first recording"
            raise Refusal(f"{option} {path}: {folder} is a file, not a folder", hint)


def offline_recording(path: Path, cell: Cell) -> OfflineRecording:
    """A new recording of a cell that is simulated."""
    from twincell.server.recording.offline_recording import OfflineRecording

    return OfflineRecording(path, cell, _files_of(cell))


def recorder_of(cell: Cell, folder: Path, at_once: Path | None) -> Wanted:
    """What the recorder of a running cell has to know."""
    from twincell.server.recording.facts import Facts
    from twincell.server.recording.recorder import Wanted

    at_once = at_once.resolve() if at_once else None
    return Wanted(Facts.of(cell, _files_of(cell)), folder.resolve(), at_once)


def _files_of(cell: Cell) -> CellFiles:
    """The files of a cell, as they are now: just after it was read."""
    from twincell.server.recording.facts import CellFiles

    try:
        return CellFiles.of(cell.spec)
    except OSError as error:
        raise Refusal(f"{error.filename}: cannot be read any more: {error.strerror}") from error


class Sampled(NamedTuple):
    """Rows of which everything recorded is known, within a span of time."""

    ticks: npt.NDArray[np.int64]  # (m,)
    stamps: npt.NDArray[np.int64]  # (m,)
    values: npt.NDArray[np.float64]  # with the recording's columns  (m, n_recorded)


def sampled(recording: Recording, from_s: float, to_s: float) -> Iterator[Sampled]:
    """The rows of a recording, part by part; times are counted from its first row."""
    from twincell.server.recording.recording import Rows

    facts = recording.facts
    has_any, end_s = False, 0.0
    for part in parts_of(recording):
        if not isinstance(part, Rows):
            continue
        # to the nearest row: 0.3 s is row 300 also where 300 * 0.001 is a little more
        at = (part.first + part.kept - facts.first_row) * facts.step_s
        end_s = max(end_s, at.max(initial=0.0))
        inside = (at > from_s - facts.step_s / 2) & (at < to_s + facts.step_s / 2)
        rows = part.kept[inside]
        if len(rows):
            has_any = True
            yield Sampled(part.ticks[rows], part.stamps[rows], part.values[inside])
    if not has_any:
        hint = f"the recording goes from 0 to {end_s:g} s"
        raise Refusal(f"{recording.path}: has no rows between {from_s:g} and {to_s:g} s", hint)


def check_span(from_s: float, to_s: float) -> None:
    """Refuse a span of time without any time in it."""
    if not from_s >= 0:
        raise Refusal(f"--from {from_s:g}: must be 0 or more", "times are counted from the start")
    if not from_s <= to_s:
        raise Refusal(f"--from {from_s:g} --to {to_s:g}: is no span of time", "--to is the later")
