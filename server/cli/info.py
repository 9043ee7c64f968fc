"""twincell info: what is in a recording."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from twincell.server.cli import screen
from twincell.server.cli.recording_file import FileArgument, open_recording, parts_of

if TYPE_CHECKING:
    from twincell.server.recording.facts import Facts


def info(
    file: FileArgument,
    events: Annotated[
        bool, typer.Option("--events", help="List events, faults and orders as well.")
    ] = False,
) -> None:
    """Show what a recording holds: cell, rows, signals, lost rows."""
    from twincell.server.realtime.shared.journal import Entry
    from twincell.server.recording.recording import Rows

    recording = open_recording(file)
    facts = recording.facts
    rows = lost = 0
    first_tick = last_tick = None
    following = facts.first_row
    happened = screen.table("tick", "what", "how", numbers=("tick",))
    for part in parts_of(recording):
        if isinstance(part, Rows):
            rows += len(part.ticks)
            lost += part.first - following
            following = part.first + len(part.ticks)
            first_tick = int(part.ticks[0]) if first_tick is None else first_tick
            last_tick = int(part.ticks[-1])
        elif isinstance(part, Entry):
            argument = f"{part.argument:g}" if part.argument else ""
            happened.add_row(str(part.tick), part.kind, argument)
        else:
            happened.add_row(str(part.tick), type(part).__name__.lower(), part.text)
    listed = screen.table("what", "value")
    listed.add_row("cell", facts.cell)
    listed.add_row("recorded by", f"twincell {facts.version} (simulation {facts.code})")
    listed.add_row("on", facts.machine)
    listed.add_row("rows", f"{rows}, {rows * facts.step_s:g} s at a step of {facts.step_s:g} s")
    listed.add_row("ticks", f"{first_tick} to {last_tick}" if rows else "none")
    listed.add_row("lost rows", str(lost))
    listed.add_row("signals", _signals(facts))
    listed.add_row("files", ", ".join(["the cell file", *facts.files.models, *facts.files.shipped]))
    screen.print_table(listed)
    if events:
        print()
        screen.print_table(happened)


def _signals(facts: Facts) -> str:
    told = f"{len(facts.recorded)} of {len(facts.signals)}"
    return told if facts.every == 1 else f"{told}, feedback of every {facts.every}th row"
