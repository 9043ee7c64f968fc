"""Judges a heap as a whole.

    energy    E of all parts gains at most 2 % of what falling can free: over its start, and later
              over the greatest that it was 0.2 to 0.4 s ago, when the springs had given back what
              a hit left in them
    through   no centre beyond the floor or a wall
    counts    ticks in which bounds did not settle or points were left out; judged in all heaps
              together, see report.py

What one hit makes is small beside all that falls, so the later energy is what would show it.
"""

import time

import numpy as np

from bench.proof.counts import Counts, counts_of
from bench.proof.heap import Heap
from bench.proof.judge import RIM, Row
from bench.proof.pairing import G
from bench.proof.watch import later_gain, own_axes
from twincell.sim.cell import Cell
from twincell.sim.model import Floats

GAIN = 0.02  # two free parts that hit askew gain some per cent of their own, docs/engine/contact.md


def judge_heap(heap: Heap) -> Row:
    """Run a heap tick by tick, so that ticks with a count can be told from others."""
    began = time.perf_counter()
    cell = Cell(heap.spec())
    parts = heap.parts()
    columns = np.array([cell.signals[f"B{k}.Pose.X"].column for k in range(heap.n)])
    inertia = np.array([part.inertia_kg_m2 for part in parts])
    wall = heap.side * heap.pitch_m(parts) / 2
    row = np.empty((1, len(cell.signals)))
    energies: list[float] = []
    outside = -np.inf  # how far beyond a wall or the floor a centre was
    unsettled = left_out = 0
    counts = Counts(0, 0)
    for _ in range(round(heap.seconds / cell.step_s)):
        if not cell.run_into(row):
            break
        now = counts_of(cell)
        unsettled += now.unsettled > counts.unsettled
        left_out += now.left_out > counts.left_out
        counts = now
        motion = row[0, columns[:, None] + np.arange(16)]
        energies.append(_energy(motion, heap.mass_kg, inertia))
        outside = max(outside, -motion[:, 2].min(), np.abs(motion[:, :2]).max() - wall)

    E = np.array(energies)
    lowest = heap.mass_kg * G * sum(part.thinnest_m for part in parts)
    bound = GAIN * (E[0] - lowest)
    gain = max(0.0, E.max() - E[0]) / bound
    later = float(later_gain(E)) / bound
    found = {
        "stopped": cell.fault and f"{cell.fault.object}: {cell.fault.text} ({cell.fault.tick})",
        "energy": not max(gain, later) <= (RIM if heap.mix == "mixed" else 1.0)
        and f"{gain:.3g} of its bound, later {later:.3g}",
        "through": not outside < 0 and f"a centre {outside:.3g} m outside",
    }
    return Row(
        "heap", heap.name, heap.pair.name, heap.mass_kg, heap.mix, f"n={heap.n} seed={heap.seed}",
        tuple(what for what, says in found.items() if says),
        "; ".join(f"{what}: {says}" for what, says in found.items() if says),
        gain, later, unsettled, left_out, len(E), time.perf_counter() - began, n_body=heap.n,
    )  # fmt: skip


def _energy(motion: Floats, mass: float, inertia: Floats) -> float:
    w = own_axes(motion[:, 6:10], motion[:, 13:16])
    kinetic = 0.5 * mass * (motion[:, 10:13] ** 2).sum() + 0.5 * (inertia * w**2).sum()
    return float(kinetic + mass * G * motion[:, 2].sum())
