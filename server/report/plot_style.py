"""How our pictures look: colours, letters, and what all panels have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# distinguishable also by colour-blind readers: Okabe and Ito, then Tol's muted set
COLOURS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"),
    *("#332288", "#882255", "#117733", "#999933", "#AA4499", "#44AA99"),
)
INK, FAINT, ALARM = "#2B2F36", "#D5D9E0", "#C1121F"

STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.size": 9.5,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "svg.hashsalt": "twincell",  # the same run gives the same file
}

LEAST_SPAN = 0.05  # height of a panel as a share of the greatest value of its group


def show_zero_and_no_noise(axes: Axes, greatest: float) -> None:
    """Keep 0 in view, and do not blow up rounding errors where nothing pulls."""
    axes.axhline(0.0, color=INK, linewidth=0.5, alpha=0.5)
    low, high = axes.dataLim.intervaly  # of the curves and the line at 0
    missing = max(0.0, LEAST_SPAN * greatest - (high - low)) / 2
    margin = 0.1 * (high - low)
    axes.set_ylim(low - missing - margin, high + missing + margin)


def title_panel(axes: Axes, title: str) -> None:
    """A heading for this panel, and those below it up to the next heading."""
    axes.set_title(title, loc="left", fontsize=10.5)


def put_legend_beside(axes: Axes) -> None:
    """Name the curves to the right of their panel."""
    legend = axes.legend(loc="upper left", bbox_to_anchor=(1.005, 1.05), handlelength=1.4)
    legend.set_in_layout(False)  # a long one reaches beside the next panels and moves nothing
