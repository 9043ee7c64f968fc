"""What a person reads after a run: the story of each object, the greatest forces, the speed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from server.cli import screen

if TYPE_CHECKING:
    from server.offline import OfflineRun
    from server.story import Story


def print_report(run: OfflineRun, story: Story, written: list[Path]) -> None:
    """Print the tables, the files written, and as the last line the real-time factor."""
    results = screen.results()
    if story.events:
        numbers = ("at [s]", "peak force around it [N]")
        listed = screen.table("object", "at [s]", "what happened", numbers[1], numbers=numbers)
        before = None
        for event in story.events:
            name = event.object if event.object != before else ""
            listed.add_row(name, f"{event.at_s:.3f}", str(event), newtons(event.peak_n))
            before = event.object
        screen.print_table(listed)
        if story.events_left_out:
            results.print(f"... and {story.events_left_out} more")
        results.print()
    elif story.constrained:
        results.print("nothing was caught\n")

    if story.objects:
        numbers = ("greatest force [N]", "at [s]")
        listed = screen.table("object", *numbers, numbers=numbers)
        for peak in story.peaks:
            # an object that felt nothing has no moment of its greatest force
            at = f"{peak.at_s:.3f}" if peak.force_n > 0 else "-"
            listed.add_row(peak.object, newtons(peak.force_n), at)
        screen.print_table(listed)
        results.print()

    for path in written:
        results.print(f"written: {path}", soft_wrap=True)
    results.print(speed(run.simulated_s, run.wall_s, run.real_time_factor))


def newtons(force_n: float) -> str:
    """A force to be read at a glance; one that makes no sense is short at least."""
    return f"{force_n:.2f}" if force_n < 1e6 else f"{force_n:.2e}"


def speed(simulated_s: float, wall_s: float, factor: float) -> str:
    """How fast it was, in one line."""
    times = f"{factor:.0f}" if factor >= 10 else f"{factor:.2g}"
    return f"{simulated_s:g} s simulated in {wall_s:.2g} s: {times} times real time"
