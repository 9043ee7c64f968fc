"""The bar that grows while a cell is simulated; nothing where nobody watches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from twincell.server.cli import screen

if TYPE_CHECKING:
    from twincell.server.offline import OfflineRun, Rows


def progress_of(run: OfflineRun) -> Iterator[Rows]:
    """The chunks of a run, with a bar on standard error if that is a terminal."""
    if not screen.somebody_watches():
        yield from run.chunks()
        return

    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    with Progress(
        TextColumn("simulating"),
        BarColumn(bar_width=40),
        TaskProgressColumn(),
        TextColumn("{task.fields[so_far]}"),
        console=screen.notes(),
        transient=True,
    ) as bar:
        task = bar.add_task("", total=run.ticks_wanted, so_far="")
        for rows in run.chunks():
            yield rows
            so_far = f"{run.simulated_s:.1f} s, {run.real_time_factor:.0f} times real time"
            bar.update(task, completed=run.ticks, so_far=so_far)
