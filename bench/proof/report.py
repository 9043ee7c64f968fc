"""What the proof writes: a file with a row for each case, a table with a line for each family."""

import csv
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from bench.proof.judge import JUDGEMENTS, Row

HEAP_TICKS = 10_000  # one tick of so many in heaps may be unsettled, or leave points out
COLUMNS = ("family", "name", "material", "mass_kg", "shape", "n_body", "parameters", "result",
           "detail", "gain", "later", "unsettled", "left_out", "ticks", "wall_s")  # fmt: skip


def write_cases(rows: Sequence[Row], file: Path) -> None:
    """All rows as CSV; gain is energy by its bound."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="", encoding="utf-8") as text:
        writer = csv.writer(text)
        writer.writerow(COLUMNS)
        for row in rows:
            writer.writerow([_cell(getattr(row, column)) for column in COLUMNS])


def _cell(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def family_lines(rows: Sequence[Row]) -> list[list[str]]:
    """Of each family: cases, how many failed each judgement, and the worst of what is counted."""
    lines = []
    for family in dict.fromkeys(row.family for row in rows):
        own = [row for row in rows if row.family == family]
        failed = [str(sum(what in row.failures for row in own)) for what in JUDGEMENTS]
        running = [row for row in own if "stopped" not in row.failures]
        worst = max((row.gain for row in running), default=0.0)
        later = max((row.later for row in running), default=0.0)
        lines.append(
            [family, str(len(own)), *failed,
             str(sum(row.unsettled for row in own)), str(sum(row.left_out for row in own)),
             str(sum(row.spun for row in own)),
             f"{worst:.2g}", f"{later:.2g}", f"{sum(row.ticks for row in own):,}",
             f"{sum(row.wall_s for row in own):.0f}"]
        )  # fmt: skip
    return lines


HEADINGS = ("family", "cases", *JUDGEMENTS, "unsettled", "left out", "spun", "energy by bound",
            "later", "ticks", "core s")  # fmt: skip


def terminal_table(rows: Sequence[Row]) -> Table:
    """The lines of the families, for a terminal."""
    table = Table(title="proof of contact: cases that failed")
    for heading in HEADINGS:
        table.add_column(heading, justify="left" if heading == "family" else "right")
    for line in family_lines(rows):
        table.add_row(*line)
    return table


def write_summary(rows: Sequence[Row], file: Path) -> None:
    """The same table in Markdown."""
    lines = ["| " + " | ".join(HEADINGS) + " |", "|" + " --- |" * len(HEADINGS)]
    lines += ["| " + " | ".join(line) + " |" for line in family_lines(rows)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def verdicts(rows: Sequence[Row], heap_ticks: int = HEAP_TICKS) -> list[str]:
    """What is wrong: each case that failed, and heaps together if they are counted too often.

    One tick of `heap_ticks` may be.
    """
    wrong = [f"{row.name} ({row.parameters}): {row.detail}" for row in rows if row.failures]
    heaps = [row for row in rows if row.family == "heap"]
    allowed = sum(row.ticks for row in heaps) / heap_ticks
    for what in ("unsettled", "left_out"):
        count = sum(getattr(row, what) for row in heaps)
        if count > max(1.0, allowed):
            wrong.append(f"heaps: {count} ticks {what}, {allowed:.1f} may be")
    return wrong
