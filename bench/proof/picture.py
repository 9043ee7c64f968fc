"""The picture of the proof: where cases fail, and how far energy stays below its bound."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bench.proof.judge import Row
from bench.proof.part import SHAPES

LEAST = 1e-16  # energy by its bound: less is drawn as this


def draw(rows: Sequence[Row], file: Path) -> None:
    """A heat map for each way of looking, and a histogram of energy."""
    figure = plt.figure(figsize=(14, 10), layout="constrained")
    grid = figure.add_gridspec(2, 2, height_ratios=(1.4, 1))
    singles = [row for row in rows if row.n_body == 1]
    _failures(
        figure, figure.add_subplot(grid[0, 0]), singles,
        [(row.material, f"{row.mass_kg:g} kg") for row in singles], "by material and mass",
    )  # fmt: skip
    shapes = [row for row in singles if row.shape in SHAPES]
    _failures(
        figure, figure.add_subplot(grid[0, 1]), shapes,
        [(row.family, f"{row.shape} {row.mass_kg:g} kg") for row in shapes], "by family and part",
    )  # fmt: skip
    _energy(figure.add_subplot(grid[1, :]), rows)
    figure.savefig(file, dpi=110)
    plt.close(figure)


def _failures(
    figure: Figure, axes: Axes, rows: Sequence[Row], places: Sequence[tuple[str, str]], title: str
) -> None:
    """Share of cases that failed, in per cent; white where there is none."""
    lines = list(dict.fromkeys(line for line, _ in places))
    columns = sorted({column for _, column in places}, key=_by_number)
    count = np.zeros((len(lines), len(columns)))
    failed = np.zeros_like(count)
    for row, (line, column) in zip(rows, places, strict=True):
        at = lines.index(line), columns.index(column)
        count[at] += 1
        failed[at] += bool(row.failures)
    share = np.full_like(count, np.nan)
    np.divide(100 * failed, count, out=share, where=count > 0)
    drawn = axes.imshow(share, cmap="RdYlGn_r", vmin=0, vmax=100, aspect="auto")
    axes.set_xticks(range(len(columns)), columns, rotation=60, ha="right", fontsize=7)
    axes.set_yticks(range(len(lines)), lines, fontsize=7)
    total = int(failed.sum())
    axes.set_title(f"{title}: {total} of {int(count.sum())} failed [%]", fontsize=10)
    figure.colorbar(drawn, ax=axes)


def _by_number(column: str) -> tuple[str, float]:
    *word, mass, _ = column.split()
    return " ".join(word), float(mass)


def _energy(axes: Axes, rows: Sequence[Row]) -> None:
    families = list(dict.fromkeys(row.family for row in rows))
    gains = [
        [max(LEAST, min(row.gain, 1e6)) for row in rows if row.family == family]
        for family in families
    ]
    bins = [float(edge) for edge in np.logspace(-16, 6, 67)]
    axes.hist(gains, bins=bins, stacked=True, label=families)
    axes.axvline(1.0, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("greatest gain of energy by its bound; nothing gained: at the left end")
    axes.set_ylabel("cases")
    axes.legend(fontsize=7, ncols=3)
