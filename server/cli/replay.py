"""twincell replay: the commands and orders of a recording again, compared with it bit by bit."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twincell.server.cli.recording_file import (
    FileArgument,
    check_new_file,
    open_recording,
    parts_of,
)
from twincell.server.cli.warm_up import warm_up
from twincell.server.errors import Refusal

if TYPE_CHECKING:
    from twincell.server.recording.facts import Facts
    from twincell.server.recording.recording import Part
    from twincell.server.recording.replay import Replay
    from twincell.server.recording.replayed_file import ReplayedFile
    from twincell.sim.cell import Cell

DIFFERENT = 1  # exit code


def replay(
    file: FileArgument,
    out: Annotated[
        Path | None,
        typer.Option(metavar="NEW.mcap", help="Record the replay, with all signals of all rows."),
    ] = None,
) -> None:
    """Replay a recording; exit code 0: every bit is the same, 1: the first deviation is shown."""
    if out:
        check_new_file("--out", out)
    recording = open_recording(file)

    from twincell.server.recording.rebuilt_cell import NotBuilt, rebuilt
    from twincell.server.recording.replay import NotReplayable, Replay
    from twincell.server.recording.replayed_file import ReplayedFile

    _tell_version(recording.facts)
    try:
        cell = rebuilt(recording.facts.files)
        replayed = Replay(cell, recording.facts)
        warm_up(cell)
        copy = ReplayedFile(out, cell, recording.facts) if out else None
        _run(replayed, parts_of(recording), copy)
    except (NotBuilt, NotReplayable) as reason:
        raise Refusal(f"{file}: cannot be replayed: {reason}") from None
    _tell(replayed, cell)
    if replayed.deviation is not None:
        raise typer.Exit(DIFFERENT)
    if replayed.compared == 0:
        raise Refusal(f"{file}: there is nothing in it to replay")


def _run(replayed: Replay, parts: Iterator[Part], copy: ReplayedFile | None) -> None:
    """Go through the recording: to its end if that is written down, else to the first deviation."""
    with closing(copy) if copy else nullcontext():
        for part in replayed.run(parts):
            if copy:
                copy.add(part)
            elif replayed.deviation is not None:
                break


def _tell_version(facts: Facts) -> None:
    from twincell import __version__
    from twincell.server.recording.facts import code_fingerprint

    here = code_fingerprint()
    if facts.code != here:
        print(
            f"note: recorded with twincell {facts.version} (simulation {facts.code}),"
            f" this is {__version__} ({here}): bits may differ",
            file=sys.stderr,
        )


def _tell(replayed: Replay, cell: Cell) -> None:
    from twincell.server.offline import time_of

    if replayed.skipped:
        print(
            f"note: {replayed.skipped} rows were not replayed: rows before them were lost,"
            " and with them the state of the cell",
            file=sys.stderr,
        )
    deviation = replayed.deviation
    if deviation is None:
        print(f"{replayed.compared} rows, bit for bit")
        return
    at = f"tick {deviation.tick} (t = {time_of(deviation.tick, cell.step_s):g} s)"
    print(f"{at}: {deviation.signal}: recorded {deviation.recorded!r}, now {deviation.replayed!r}")
