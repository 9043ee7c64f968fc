"""The picture of a soak: memory of each process over time."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import matplotlib as mpl
from matplotlib.figure import Figure

from twincell.server.report.plot_style import COLOURS, STYLE, title_panel


class Curve(Protocol):
    """Memory of one process over time."""

    @property
    def name(self) -> str: ...
    @property
    def at_s(self) -> Sequence[float]: ...
    @property
    def mb(self) -> Sequence[float]: ...


def draw(curves: Sequence[Curve], title: str, path: Path) -> None:
    """One panel a process, since they differ by far in size."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10.0, 2.2 * len(curves)), layout="constrained")
        figure.suptitle(title, fontsize=11)
        panels = figure.subplots(len(curves), 1, sharex=True, squeeze=False)[:, 0]
        for axes, curve, colour in zip(panels, curves, COLOURS, strict=False):
            minutes = [at_s / 60 for at_s in curve.at_s]
            axes.plot(minutes, curve.mb, color=colour, linewidth=1.2)
            axes.set_ylim(0.0, 1.15 * max(curve.mb))
            axes.set_ylabel("MB")
            title_panel(axes, f"{curve.name}: memory")
        panels[-1].set_xlabel("time [min]")
        figure.savefig(path, dpi=110)
