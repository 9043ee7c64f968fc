"""The part of a picture that shows robots: what their drives do, and when that is all they can.

A robot has a panel for its torques [Nm], one for its forces [N], or both. The colours of joints
begin anew in each panel. Red dots are the moments in which

    |effort| >= what the drive can do
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from twincell.server.report.curves import Curves
from twincell.server.report.plot_style import (
    ALARM,
    COLOURS,
    put_legend_beside,
    show_zero_and_no_noise,
    title_panel,
)
from twincell.server.report.robots import DriveLoad, RobotWatch

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROBOTS = 4  # more make a picture that fits no page
OVERLOADED = "overloaded"  # in a legend
LOWEST_INCHES, LEGEND_LINE_INCHES = 1.45, 0.205


@dataclass
class DrivePanel:
    """Drives of one robot that share an axis, as they do the same kind of thing."""

    title: str
    drives: list[DriveLoad]

    @property
    def overloaded(self) -> list[DriveLoad]:
        return [drive for drive in self.drives if drive.share >= 1]

    @property
    def legend(self) -> list[str]:
        """Names beside the panel."""
        names = [drive.joint for drive in self.drives]
        return [*names, OVERLOADED] if self.overloaded else names

    @property
    def inches(self) -> float:
        """Height, with room for the legend."""
        return max(LOWEST_INCHES, LEGEND_LINE_INCHES * len(self.legend))


def panels_of(robots: dict[str, RobotWatch]) -> list[DrivePanel]:
    """The panels of the first robots; when some are left out, the first panel says so."""
    panels = []
    for name in list(robots)[:MOST_ROBOTS]:
        for is_angle, effort in ((True, "torque"), (False, "force")):
            drives = [drive for drive in robots[name].drives if drive.is_angle == is_angle]
            if drives:
                panels.append(DrivePanel(f"{effort} of the drives of {name}", drives))
    if len(robots) > MOST_ROBOTS:
        panels[0].title += f" (the first {MOST_ROBOTS} of {len(robots)} robots are shown)"
    return panels


def draw_drives(axes: Axes, panel: DrivePanel, curves: Curves) -> None:
    """The efforts of a robot's drives over time, and on top the moments of overload."""
    marked: dict[str, Any] = {"label": OVERLOADED, "color": ALARM, "marker": ".", "linestyle": ""}
    for drive, shade in zip(panel.drives, cycle(COLOURS), strict=False):
        axes.plot(*curves.curve(drive.signal), color=shade, linewidth=1.1, label=drive.joint)
    for drive in panel.overloaded:
        times, values = curves.curve(drive.signal)
        over = np.abs(values) >= drive.most
        axes.plot(times[over], values[over], markersize=4, **marked)
        marked["label"] = "_"  # named once
    show_zero_and_no_noise(axes, max(drive.effort for drive in panel.drives))
    axes.set_ylabel(f"[{panel.drives[0].unit}]")
    title_panel(axes, panel.title)
    put_legend_beside(axes)
