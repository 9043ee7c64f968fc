"""A picture of chosen signals over time: one panel a unit, so that curves share an axis."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from twincell.server.report.curves import Curves
from twincell.server.report.plot_style import COLOURS, STYLE, put_legend_beside, title_panel
from twincell.sim.signals import Kind, Signal

WIDTH_INCHES, PANEL_INCHES, HEAD_INCHES = 12.0, 1.9, 0.9
LINE_INCHES = 0.19  # of a legend
MOST_CURVES = 12  # of a panel: more cannot be told apart
DOTS_AN_INCH = 130


def panels_of(signals: list[Signal]) -> dict[str, list[Signal]]:
    """The signals of each panel, by its heading; texts cannot be drawn as curves."""
    panels: dict[str, list[Signal]] = {}
    for signal in signals:
        if signal.kind is Kind.STRING:
            continue
        plain = "yes and no" if signal.kind is Kind.BOOLEAN else "numbers"
        unit = f"[{signal.unit}]" if signal.unit else plain
        panels.setdefault(unit, []).append(signal)
    return panels


def draw_signals(
    path: Path,
    *,
    picture_format: str,
    title: str,
    panels: dict[str, list[Signal]],
    curves: Curves,
    from_s: float,
) -> None:
    """Draw curves into a file."""
    heights = [max(PANEL_INCHES, LINE_INCHES * (len(panel) + 1)) for panel in panels.values()]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH_INCHES, sum(heights) + HEAD_INCHES), layout="constrained")
        figure.get_layout_engine().set(rect=(0, 0, 0.82, 1))  # type: ignore[union-attr,call-arg]
        axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False, height_ratios=heights)
        figure.suptitle(title, fontsize=14, fontweight="bold", x=0.01, ha="left")
        for drawn, (unit, signals) in zip(axes[:, 0], panels.items(), strict=True):
            for signal, colour in zip(signals, cycle(COLOURS), strict=False):
                times, values = curves.curve(signal.name)
                style = "default" if signal.kind is Kind.DOUBLE else "steps-post"
                drawn.plot(
                    times + from_s, values, color=colour, linewidth=1.1, drawstyle=style,
                    label=signal.name,
                )  # fmt: skip
            title_panel(drawn, unit)
            put_legend_beside(drawn)
        axes[-1, 0].set_xlabel("time [s]")
        figure.savefig(path, format=picture_format, dpi=DOTS_AN_INCH)
