"""The picture of a run: who held what when, the forces on both sides, and what robots did.

Top: one lane for each constrained object, a bar for each time it had a partner, in the partner's
colour; then one for each device that has states, a bar for each. Below: the forces on the
constrained objects, then those on the collision objects, each as x, y and z over the same time
axis; then the drives of the robots (`plot_robots.py`). An object has one colour everywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from numpy.typing import NDArray

from twincell.server.report.curves import Curves
from twincell.server.report.plot_robots import DrivePanel, draw_drives, panels_of
from twincell.server.report.plot_style import (
    ALARM,
    COLOURS,
    FAINT,
    INK,
    STYLE,
    put_legend_beside,
    show_zero_and_no_noise,
    title_panel,
)
from twincell.server.report.run_summary import RunSummary
from twincell.server.report.summary_text import Hold
from twincell.sim.devices.contract import plain_name
from twincell.sim.signals import SignalTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_OBJECTS = 10  # of each group: more cannot be told apart
LANE_INCHES, PANEL_INCHES, WIDTH_INCHES = 0.42, 1.15, 12.0
STATE_COLOURS = COLOURS[5:0:-1]  # between the first state, at rest, and the last, a fault
LETTER_INCHES = 0.085  # of a legend's text, on average
NARROWEST_LABEL = 0.0095  # share of the run that one letter of a bar's label needs


def curves_of(summary: RunSummary, signals: SignalTable, step_s: float) -> Curves:
    """The curves that the picture of a run needs: forces on objects, efforts of drives."""
    bases = [f"{name}.Force" for name in summary.objects]
    bases += [f"{name}.ContactForce" for name in summary.surfaces]
    forces = [signals[f"{base}.{axis}"] for base in bases for axis in "XYZ"]
    efforts = [signals[drive.signal] for watch in summary.robots.values() for drive in watch.drives]
    return Curves([*forces, *efforts], step_s)


def draw(
    path: Path,
    *,
    picture_format: str,
    title: str,
    end_s: float,
    fault: str | None,
    summary: RunSummary,
    curves: Curves,
) -> None:
    """Draw a run into a file."""
    constrained = _strongest(summary.constrained, curves)
    felt = [name for name in summary.collision if _greatest(name, curves) > 0]
    collision = _strongest(felt, curves)
    touched = [name for name in summary.surfaces if _greatest(name, curves) > 0]
    surfaces = _strongest(touched, curves)
    colour = dict(zip([*constrained, *collision, *surfaces], cycle(COLOURS), strict=False))

    robots = panels_of(summary.robots)
    devices = {kind: dict(islice(of.items(), MOST_OBJECTS)) for kind, of in summary.devices.items()}

    with mpl.rc_context(STYLE):
        figure, drawn = _layout(
            constrained, devices, [*filter(None, (collision, surfaces))], robots
        )
        figure.suptitle(title, fontsize=14, fontweight="bold", x=0.01, ha="left")
        below = iter(drawn)
        if constrained:
            held = {name: summary.constrained[name].holds(end_s) for name in constrained}
            _draw_lanes(next(below), "held by", held, colour, end_s)
        for kind, watches in devices.items():
            states = {name: watch.holds(end_s) for name, watch in watches.items()}
            shades = _state_colours(next(iter(watches.values())).states)
            _draw_lanes(next(below), f"state of the {plain_name(kind)}s", states, shades, end_s)
        if constrained:
            group = _group("constrained objects", constrained, len(summary.constrained))
            title = f"force on the {group}, in their own axes"
            _draw_forces(list(islice(below, 3)), title, constrained, colour, curves)
        if collision:
            group = _group("collision objects", collision, len(felt))
            title = f"force on the {group}, in their own axes"
            _draw_forces(list(islice(below, 3)), title, collision, colour, curves)
        if surfaces:
            group = _group("surfaces", surfaces, len(touched))
            title = f"contact force on the {group}, in world axes"
            _draw_forces(list(islice(below, 3)), title, surfaces, colour, curves)
        for panel in robots:
            draw_drives(next(below), panel, curves)

        for axes in drawn:
            axes.set_xlim(0.0, end_s)
            axes.tick_params(length=0, labelbottom=axes is drawn[-1])
            if fault is not None:
                axes.axvline(end_s, color=ALARM, linewidth=1.5, clip_on=False)
        drawn[-1].set_xlabel("simulated time [s]")
        if fault is not None:
            drawn[0].set_title(fault, color=ALARM, loc="right", fontsize=9.5)
        figure.savefig(path, format=picture_format, dpi=200, metadata=_no_date(picture_format))


def _layout(
    constrained: Sequence[str],
    devices: Mapping[str, Collection[str]],
    felt: Sequence[Sequence[str]],
    robots: Sequence[DrivePanel],
) -> tuple[Figure, list[Axes]]:
    """A figure with the lanes, three panels for each group with something to show, and robots'."""
    heights = [panel.inches for panel in robots]
    heights = [PANEL_INCHES] * 3 * len(felt) + heights
    if constrained:
        heights = [PANEL_INCHES] * 3 + heights
    # lanes first: of the objects, then of the devices
    lanes = [len(names) for names in (constrained, *devices.values()) if names]
    heights = [0.35 + LANE_INCHES * n for n in lanes] + heights
    if not heights:
        heights = [PANEL_INCHES]  # a cell without any: an empty time axis, not a crash
    names = (*constrained, *(name for group in felt for name in group))
    names = (*names, *(name for panel in robots for name in panel.legend))
    longest_name = max((len(name) for name in names), default=0)
    legend_share = (0.55 + LETTER_INCHES * longest_name) / WIDTH_INCHES
    layout = ConstrainedLayoutEngine(
        h_pad=0.05, hspace=0.01, rect=(0.0, 0.0, 1.0 - legend_share, 1.0)
    )
    figure = Figure(figsize=(WIDTH_INCHES, sum(heights) + 1.0), layout=layout)
    grid = figure.subplots(
        len(heights), 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": heights}
    )
    every_axes = list(grid[:, 0])
    figure.align_ylabels(every_axes)
    return figure, every_axes


def _state_colours(states: Sequence[str]) -> dict[str, str]:
    """A colour for each state of a device: the first is at rest, the last a fault."""
    between = dict(zip(states[1:-1], cycle(STATE_COLOURS), strict=False))
    return {states[0]: FAINT, **between, states[-1]: ALARM}


def _draw_lanes(
    axes: Axes, title: str, held: Mapping[str, list[Hold]], colour: Mapping[str, str], end_s: float
) -> None:
    """A lane for each name, a bar for each partner it had, or each state."""
    names = list(held)
    for lane, name in enumerate(names):
        for hold in held[name]:
            width = hold.to_s - hold.from_s
            shade = colour.get(hold.partner, INK)
            axes.barh(lane, width, left=hold.from_s, height=0.72, color=shade, edgecolor="white")
            if width > NARROWEST_LABEL * len(hold.partner) * end_s:
                text = axes.text(hold.from_s + width / 2, lane, hold.partner, clip_on=True)
                text.set(ha="center", va="center", fontsize=9, fontweight="bold")
                text.set_color(_readable_on(shade))
    axes.set_yticks(range(len(names)), names, fontweight="bold")
    for label, name in zip(axes.get_yticklabels(), names, strict=True):
        label.set_color(colour.get(name, INK))
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    title_panel(axes, title)


def _draw_forces(
    panels: Sequence[Axes],
    title: str,
    names: Sequence[str],
    colour: dict[str, str],
    curves: Curves,
) -> None:
    """The forces on a group of objects: a panel for each of x, y and z."""
    greatest = max(_greatest(name, curves) for name in names) or 1.0
    for name in names:
        for axes, (times, values) in zip(panels, _forces(name, curves), strict=True):
            axes.plot(times, values, color=colour[name], linewidth=1.1, label=name)
    for axes, axis in zip(panels, "xyz", strict=True):
        axes.set_ylabel(f"{axis} [N]")
        show_zero_and_no_noise(axes, greatest)
    title_panel(panels[0], title)
    put_legend_beside(panels[0])


def _forces(name: str, curves: Curves) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Force on an object in x, y and z, without the times in which it felt nothing.

    Objects at rest would otherwise hide each other behind one line at 0.
    """
    forces = [curves.curve(f"{_base(name, curves)}.{axis}") for axis in "XYZ"]
    idle = np.all([values == 0 for _, values in forces], axis=0)
    padded = np.concatenate([[True], idle, [True]])
    long_idle = idle & padded[:-2] & padded[2:]  # the way down to 0 and up again is drawn
    return [(times, np.where(long_idle, np.nan, values)) for times, values in forces]


def _group(what: str, drawn: Sequence[str], n_all: int) -> str:
    """What a group is called; when some are left out, it says so."""
    return what if len(drawn) == n_all else f"{len(drawn)} most loaded of {n_all} {what}"


def _strongest(names: Iterable[str], curves: Curves) -> list[str]:
    """The objects with the greatest forces, in their usual order."""
    everyone = list(names)
    by_force = sorted(everyone, key=lambda name: -_greatest(name, curves))
    chosen = set(by_force[:MOST_OBJECTS])
    return [name for name in everyone if name in chosen]


def _greatest(name: str, curves: Curves) -> float:
    return max(curves.peak(f"{_base(name, curves)}.{axis}") for axis in "XYZ")


def _base(name: str, curves: Curves) -> str:
    """The force that an object shows: by its constraint, or by contact."""
    return f"{name}.Force" if f"{name}.Force.X" in curves else f"{name}.ContactForce"


def _readable_on(colour: str) -> str:
    """White on dark bars, dark on light ones."""
    red, green, blue = to_rgb(colour)
    return "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.6 else INK


def _no_date(picture_format: str) -> dict[str, None]:
    """Files of equal runs are equal: leave out when they were made."""
    date = {"svg": "Date", "pdf": "CreationDate"}.get(picture_format)
    return {date: None} if date else {}
