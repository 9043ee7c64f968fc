"""The proof of contact: `make proof`, or `python -m bench.proof.run [--long]`.

    --long           all cases, about an hour on two cores; without it a sample of them
    --family NAME    one family, more than once for several
    --cases N        how many cases of each family a sample has
    --case NAME      one case alone
    --workers N      processes
    --out FOLDER     where cases.csv, summary.md and proof.png go

It ends with 1 if any case fails, and names the first of them.
"""

import argparse
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bench.contact_cells import resting_boxes
from bench.proof.batch import Batch
from bench.proof.families import FAMILIES, Task, find_case, run_task, sample, tasks_of
from bench.proof.judge import Row
from bench.proof.picture import draw
from bench.proof.report import terminal_table, verdicts, write_cases, write_summary
from bench.proof.share import run_all
from twincell.server.cli.warm_up import warm_up
from twincell.sim.cell import Cell

SHOWN = 20  # of the cases that fail
SAID_S = 30.0  # how often it says how far it is, where nobody sees a bar


def main(words: list[str] | None = None) -> int:
    """Run the cases; 1 if any fails."""
    given = _arguments(words)
    console = Console(width=None if sys.stdout.isatty() else 180)
    notes = Console(stderr=True)
    if given.case:
        rows = run_task(find_case(given.case))
    else:
        families = given.family or list(FAMILIES)
        tasks = [
            task
            for family in families
            for task in (tasks_of(family) if given.long else sample(family, given.cases))
        ]
        warm_up(Cell(resting_boxes(1)))
        rows = _run(tasks, given.workers, notes)
        rows.sort(key=lambda row: (list(FAMILIES).index(row.family), row.name))
    write_cases(rows, given.out / "cases.csv")
    write_summary(rows, given.out / "summary.md")
    if not given.case:
        draw(rows, given.out / "proof.png")
    console.print(terminal_table(rows))

    wrong = verdicts(rows)
    for text in wrong[:SHOWN]:
        console.print(text, style="red", highlight=False, soft_wrap=True)
    if wrong:
        console.print(
            f"{len(wrong)} failures in {len(rows)} cases; all of them in {given.out}/cases.csv,"
            " one alone with --case NAME",
            style="bold red",
        )
    return 1 if wrong else 0


def _arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.proof.run")
    parser.add_argument("--long", action="store_true", help="all cases")
    parser.add_argument("--family", action="append", choices=list(FAMILIES))
    parser.add_argument("--cases", type=int, default=40, help="of each family, in a sample")
    parser.add_argument("--case", help="name of one case")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("out/proof"))
    return parser.parse_args(words)


def _run(tasks: Iterable[Task], workers: int, notes: Console) -> list[Row]:
    """Run all tasks, the longest first, so that none is waited for in the end."""
    ordered = sorted(tasks, key=_size, reverse=True)
    rows: list[Row] = []
    began = said = time.perf_counter()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
               TimeElapsedColumn())  # fmt: skip
    with Progress(*columns, console=notes) as progress:
        bar = progress.add_task("cases", total=sum(_cases(task) for task in ordered))
        for new in run_all(ordered, workers):
            rows += new
            failed = sum(bool(row.failures) for row in rows)
            progress.update(bar, advance=len(new), description=f"cases, {failed} failed")
            if not notes.is_terminal and time.perf_counter() > said + SAID_S:
                said = time.perf_counter()
                notes.print(f"{said - began:.0f} s: {len(rows)} cases, {failed} failed")
    notes.print(f"all in {time.perf_counter() - began:.0f} s", highlight=False)
    return rows


def _cases(task: Task) -> int:
    return len(task.cases) if isinstance(task, Batch) else 1


def _size(task: Task) -> float:
    return task.most_seconds * len(task.cases) if isinstance(task, Batch) else float(task.n)


if __name__ == "__main__":
    sys.exit(main())
