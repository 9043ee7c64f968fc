"""The robots' part of a report: how hard each drive worked."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import TYPE_CHECKING

from twincell.server.cli import screen

if TYPE_CHECKING:
    from twincell.server.report.robots import DriveLoad, RobotWatch

MOST_IN_FULL = 4  # robots; of more, only the most loaded joint of each is shown


def print_drives(robots: Collection[RobotWatch]) -> None:
    """The greatest effort of each drive, and how far its joint was from its reference."""
    in_full = len(robots) <= MOST_IN_FULL
    numbers = ("greatest effort", "of its limit", "at [s]", "off its target")
    joint = "joint" if in_full else "most loaded joint"
    listed = screen.table("robot", joint, *numbers, numbers=numbers)
    for watch in robots:
        drives = watch.drives if in_full else [max(watch.drives, key=_rank)]
        for place, drive in enumerate(drives):
            listed.add_row(
                drive.robot if place == 0 else "",
                drive.joint,
                f"{screen.load(drive.effort)} {drive.unit}",
                f"{drive.share:.0%}" if math.isfinite(drive.most) else "-",
                f"{drive.at_s:.3f}" if drive.effort > 0 else "-",
                _way(drive),
            )
    screen.print_section(listed)


def _rank(drive: DriveLoad) -> tuple[float, float]:
    """How loaded a drive was; without a limit, only its effort says."""
    return drive.share, drive.effort


def _way(drive: DriveLoad) -> str:
    if drive.is_angle:
        return f"{math.degrees(drive.off):.3f} deg"
    return f"{drive.off * 1e3:.3f} mm"
