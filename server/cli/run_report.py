"""What a person reads after a run: the summary of objects and robots, the loads, the speed."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from twincell.server.cli import screen
from twincell.server.cli.run_report_robots import print_drives
from twincell.sim.devices.contract import plain_name

if TYPE_CHECKING:
    from twincell.server.offline import OfflineRun
    from twincell.server.report.devices import DeviceWatch
    from twincell.server.report.robots import RobotWatch
    from twincell.server.report.run_summary import Peak, RunSummary


def print_report(run: OfflineRun, summary: RunSummary, written: list[Path]) -> None:
    """Print the tables, the files written, and as the last line the real-time factor."""
    results = screen.results()
    if summary.events:
        _print_events(summary)
    elif summary.constrained:
        results.print("nothing was caught\n")
    for kind, watches in summary.devices.items():
        _print_told(plain_name(kind), watches.values())
    _print_told("robot", summary.robots.values())
    if summary.objects:
        _print_peaks(summary.peaks)
    if summary.robots:
        print_drives(summary.robots.values())

    for path in written:
        results.print(f"written: {path}", soft_wrap=True)
    results.print(speed(run.simulated_s, run.wall_s, run.real_time_factor))


def _print_events(summary: RunSummary) -> None:
    """Who caught what and let it go."""
    numbers = ("at [s]", "peak force around it [N]")
    listed = screen.table("object", "at [s]", "what happened", numbers[1], numbers=numbers)
    before = None
    for event in summary.events:
        name = event.object if event.object != before else ""
        listed.add_row(name, f"{event.at_s:.3f}", str(event), screen.load(event.peak_n))
        before = event.object
    screen.print_section(listed, left_out=summary.events_left_out)


def _print_told(kind: str, watches: Collection[DeviceWatch] | Collection[RobotWatch]) -> None:
    """What happened to devices, or went wrong with robots; nothing if there is nothing."""
    events = [event for watch in watches for event in watch.events]
    if not events:
        return
    listed = screen.table(kind, "at [s]", "what happened", numbers=("at [s]",))
    before = None
    for event in events:
        name = event.object if event.object != before else ""
        listed.add_row(name, f"{event.at_s:.3f}", event.text)
        before = event.object
    screen.print_section(listed, left_out=sum(watch.events_left_out for watch in watches))


def _print_peaks(peaks: Iterable[Peak]) -> None:
    """The greatest force on each object."""
    numbers = ("greatest force [N]", "at [s]")
    listed = screen.table("object", *numbers, numbers=numbers)
    for peak in peaks:
        # an object that felt nothing has no moment of its greatest force
        at = f"{peak.at_s:.3f}" if peak.force_n > 0 else "-"
        listed.add_row(peak.object, screen.load(peak.force_n), at)
    screen.print_section(listed)


def speed(simulated_s: float, wall_s: float, factor: float) -> str:
    """How fast it was, in one line."""
    times = f"{factor:.0f}" if factor >= 10 else f"{factor:.2g}"
    return f"{simulated_s:g} s simulated in {wall_s:.2g} s: {times} times real time"
