"""Pictures of the contact cells beside their closed forms: `python -m bench.contact_plots FOLDER`.

Draws contact.png, one panel for each cell, and tool_falls.png. The closed forms are those of the
cells' comments; nothing is fitted.
"""

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from scipy.optimize import brentq

from twincell.sim.cell import Cell
from twincell.sim.model import Floats

CELLS = Path(__file__).parents[1] / "config" / "cells"
G = 9.81
Form = Callable[[Floats], Floats]


class Panel(NamedTuple):
    """One curve of a cell, and what a closed form says about it."""

    cell: str
    title: str
    signal: str
    unit: str
    seconds: float
    form: Form
    legend: str
    through: float | None = None  # a slope only: drawn through the curve at this time [s]


def restitution(V: float) -> float:
    """e of a hit with V = d v/c, for n = m."""
    E = brentq(lambda E: V - math.log1p(V) + E + math.log1p(-E), 1e-12, 1 - 1e-12)
    return float(E) / V


def bounces(height: float, rest: float, damping: float, t: Floats) -> Floats:
    """Height of something that bounces, each time with the restitution of its speed."""
    z = np.full(len(t), np.nan)
    begin, up = 0.0, 0.0
    start = height
    while begin < t[-1] and (up > 0.02 or begin == 0.0):
        flight = (up + math.sqrt(up**2 + 2 * G * (start - rest))) / G
        part = (t >= begin) & (t < begin + flight)
        z[part] = start + up * (t[part] - begin) - G * (t[part] - begin) ** 2 / 2
        down = math.sqrt(up**2 + 2 * G * (start - rest))
        begin, start, up = begin + flight, rest, down * restitution(damping * down)
    return z


def panels() -> list[Panel]:
    """The contact cells and their closed forms."""
    nothing = np.nan
    hit_1 = math.sqrt(2 * (0.05 - math.sqrt(0.0225**2 - 0.002**2)) / G)
    a_2, a_3, a_7 = (math.radians(x) for x in (5.0, 15.0, 10.0))
    hit_2 = math.sqrt(2 * (0.02 - 0.0075 / math.cos(a_2)) / G)
    # no slip and no rebound: the momentum about the contact line stays
    begin_2 = G * hit_2 * math.sin(a_2) / (1.5 * 0.0075)
    rate_2 = G * math.sin(a_2) / (1.5 * 0.0075)
    slide_3 = G * (math.sin(a_3) - 0.08 * math.cos(a_3)) * math.cos(a_3)
    e = restitution(0.5)
    return [
        Panel("contact_sphere_cylinder", "1: sphere on cylinder", "Ball.Pose.Y", "m", 0.5,
              lambda t: np.where(t < hit_1, 0.05 - G * t**2 / 2, nothing),
              f"free fall until {hit_1:.4f} s"),
        Panel("contact_cylinder_disc", "2: cylinder on disc", "Roller.AngularVelocity.X", "rad/s",
              0.35, lambda t: np.where(t < hit_2, 0.0, begin_2 + rate_2 * (t - hit_2)),
              f"hit at {hit_2:.4f} s, then {begin_2:.2f} + {rate_2:.1f} (t - t_hit)"),
        Panel("contact_box_rectangle", "3: box on rectangle", "Box.Velocity.X", "m/s", 0.5,
              lambda t: np.where((t > 0.25) & (t < 0.36), -slide_3 * t, nothing),
              "slope g (sin α - μ_k cos α) cos α", 0.3),
        Panel("contact_spheres", "sphere on sphere", "Right.Velocity.X", "m/s", 0.15,
              lambda t: np.where(t > 0.061, (1 + e) / 2, 0.0), "(1 + e)/2"),
        Panel("contact_sphere_rectangle", "sphere on rectangle", "Ball.Velocity.X", "m/s", 0.5,
              lambda t: np.maximum(1 - 0.2 * G * t, 5 / 7), "1 - μ g t, then 5/7"),
        Panel("contact_sphere_disc", "sphere on disc", "Ball.Pose.Z", "m", 1.5,
              lambda t: bounces(0.34, 0.02, 0.2, t), "restitution of V = d v/c"),
        Panel("contact_cylinder_rectangle", "cylinder on rectangle", "Roller.Velocity.X", "m/s",
              0.8, lambda t: 2 / 3 * G * math.sin(a_7) * math.cos(a_7) * t,
              "2/3 g sin α t cos α"),
        Panel("contact_disc_rectangle", "disc on rectangle", "Puck.Velocity.X", "m/s", 0.6,
              lambda t: np.maximum(1 - 0.3 * G * t, 0.0), "1 - μ_k g t"),
        Panel("contact_cylinders", "cylinder on cylinder", "Upper.Pose.Z", "m", 1.0,
              lambda t: bounces(0.07, 0.03, 0.2, t), "restitution of V = d v/c"),
    ]  # fmt: skip


def draw(axes: Axes, panel: Panel) -> None:
    """One cell's curve over its closed form."""
    cell = Cell.load(CELLS / f"{panel.cell}.toml")
    rows = cell.run(round(panel.seconds / cell.step_s))
    t: Floats = np.arange(len(rows), dtype=np.float64) * cell.step_s
    curve = rows[:, cell.signals[panel.signal].column]
    form = panel.form(t)
    if panel.through is not None:
        form = form + np.interp(panel.through, t, curve) - np.interp(panel.through, t, form)
    axes.plot(t, form, color="#F0803C", linewidth=4, alpha=0.6, label=panel.legend)
    axes.plot(t, curve, color="#1F4E79", linewidth=1.2)
    axes.set_title(panel.title, fontsize=10)
    axes.set_xlabel("t [s]", fontsize=8)
    axes.set_ylabel(f"{panel.signal} [{panel.unit}]", fontsize=8)
    axes.tick_params(labelsize=7)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=7, loc="best")


def draw_tool_falls(figure: Any) -> None:
    """Who carries the tool: the flange, nobody, the table, both, the flange."""
    cell = Cell.load(CELLS / "tool_falls.toml")
    rows = cell.run(round(4.5 / cell.step_s))
    t = np.arange(len(rows)) * cell.step_s
    above, below = figure.subplots(2, 1, sharex=True)
    above.plot(t, rows[:, cell.signals["Gripper.Pose.Z"].column], label="tool")
    above.plot(t, rows[:, cell.signals["Flange.Pose.Z"].column], label="flange")
    above.set_ylabel("height [m]")
    for name, label in (("Tool.Force.Z", "flange"), ("ToolBottom.ContactForce.Z", "table")):
        below.plot(t, rows[:, cell.signals[name].column], label=f"force of the {label}")
    below.axhline(2 * G, color="#888888", linewidth=0.8, linestyle=":", label="weight")
    below.set_ylim(-20, 80)
    below.set_ylabel("on the tool [N]")
    below.set_xlabel("t [s]")
    for axes in (above, below):
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8, loc="upper right")


def main(folder: Path) -> None:
    """Draw both pictures into a folder."""
    figure, grid = plt.subplots(3, 3, figsize=(12, 9), layout="constrained")
    for axes, panel in zip(grid.flat, panels(), strict=True):
        draw(axes, panel)
    figure.savefig(folder / "contact.png", dpi=110)
    figure = plt.figure(figsize=(9, 5), layout="constrained")
    draw_tool_falls(figure)
    figure.savefig(folder / "tool_falls.png", dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if sys.argv[1:] else "docs/images"))
