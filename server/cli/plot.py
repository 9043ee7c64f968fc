"""twincell plot: a picture of a recording."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twincell.server.cli.recording_file import (
    FileArgument,
    FromOption,
    SignalsOption,
    ToOption,
    check_span,
    chosen_signals,
    open_recording,
    sampled,
)
from twincell.server.cli.simulate import PLOT_FORMATS
from twincell.server.errors import Refusal
from twincell.server.files.atomic import blamed, whole_file

if TYPE_CHECKING:
    from twincell.server.recording.recording import Recording
    from twincell.sim.signals import Signal


def plot(
    file: FileArgument,
    out: Annotated[
        Path, typer.Option(metavar="FILE.png", help="Picture: png, svg, pdf.", show_default=False)
    ],
    signals: SignalsOption = None,
    from_s: FromOption = 0.0,
    to_s: ToOption = math.inf,
) -> None:
    """Draw a recording over time: who held what and the forces, or the signals that are named."""
    check_span(from_s, to_s)
    if out.suffix.lower() not in PLOT_FORMATS:
        known = ", ".join(PLOT_FORMATS)
        raise Refusal(f"--out {out}: unknown kind of picture", f"end the name with {known}")
    recording = open_recording(file)
    has_all = len(recording.signals) == len(recording.facts.signals)
    draw = _draw_story if has_all and not signals else _draw_signals
    with whole_file(out) as path:
        draw(path, out, recording, chosen_signals(recording, signals), (from_s, to_s))
    print(f"written: {out}")


def _draw_story(
    path: Path, out: Path, recording: Recording, _: list[Signal], span: tuple[float, float]
) -> None:
    """The picture that `twincell simulate --plot` draws."""
    from twincell.server.recording.rebuilt_cell import NotBuilt, rebuilt
    from twincell.server.report.plot import curves_of, draw
    from twincell.server.report.run_summary import story_of

    facts = recording.facts
    try:
        spec = rebuilt(facts.files).spec
    except NotBuilt as reason:
        raise Refusal(f"{recording.path}: {reason}", "draw signals: --signals NAME") from None
    step_s = facts.step_s * facts.every
    summary = story_of(spec, recording.signals, step_s)
    curves = curves_of(summary, recording.signals, step_s)
    count = 0
    for part in sampled(recording, *span):
        summary.append(part.values)
        curves.append(part.values)
        count += len(part.ticks)
    with blamed(out):
        draw(
            path,
            picture_format=_format(out),
            title=facts.cell,
            end_s=count * step_s,
            fault=None,
            summary=summary,
            curves=curves,
        )


def _draw_signals(
    path: Path, out: Path, recording: Recording, chosen: list[Signal], span: tuple[float, float]
) -> None:
    """One panel a unit."""
    from twincell.server.recording.plot_signals import MOST_CURVES, draw_signals, panels_of
    from twincell.server.report.curves import Curves

    panels = panels_of(chosen)
    if not panels:
        raise Refusal(f"{recording.path}: these are texts, which are no curves")
    for unit, group in panels.items():
        if len(group) > MOST_CURVES:
            problem = (
                f"{len(group)} curves in the panel {unit}, of which {MOST_CURVES} can be told apart"
            )
            raise Refusal(problem, "choose some with --signals NAME")
    facts = recording.facts
    drawn = [signal for group in panels.values() for signal in group]
    curves = Curves(drawn, facts.step_s * facts.every)
    for part in sampled(recording, *span):
        curves.append(part.values)
    with blamed(out):
        draw_signals(
            path,
            picture_format=_format(out),
            title=facts.cell,
            panels=panels,
            curves=curves,
            from_s=span[0],
        )


def _format(out: Path) -> str:
    return out.suffix.lower().removeprefix(".")
