"""Heaps: many parts fall 5 cm into a bin, layer over layer, each turned and a little off its place.

A heap is judged as a whole: energy of all parts together, nobody outside of the bin by more than
the law's depth, and ticks in which the solver did not settle or left points out.
"""

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bench.proof.counts import Counts, counts_of
from bench.proof.judge import Row
from bench.proof.pairing import G, Pair, shipped_pairs
from bench.proof.part import Part, make_part
from bench.proof.pose import angles_deg, any_angle, random_of
from bench.proof.watch import own_axes
from sim.cell import Cell
from sim.model import Floats
from sim.spec.cell import CellSpec, Frame
from sim.spec.contact import HalfSpaceSurface, Surface

COUNTS = (3, 10, 30, 100, 300, 1500)
SEEDS = 10
MATERIALS = ("steel", "wood", "rubber", "glass")
MIXES = {"ball": ("ball",), "box": ("box",), "mixed": ("box", "ball", "cylinder", "capsule")}
MASSES_KG = (0.02, 0.1, 0.5)
DROP_M = 0.05
SECONDS = {3: 2.0, 10: 2.0, 30: 1.5, 100: 1.0, 300: 0.6, 1500: 0.4}
GAIN = 0.05  # of all energy: two free parts that hit askew gain some per cent, docs/contact.md
TURNED_DEG = {  # walls look inwards
    "Left": (0.0, 90.0, 0.0),
    "Right": (0.0, -90.0, 0.0),
    "Front": (-90.0, 0.0, 0.0),
    "Back": (90.0, 0.0, 0.0),
}


class Heap(NamedTuple):
    """One heap."""

    name: str
    pair: Pair
    mix: str
    n: int
    mass_kg: float
    seed: int

    @property
    def family(self) -> str:
        return "heap"

    def parts(self) -> list[Part]:
        shapes = MIXES[self.mix]
        material = self.pair.part
        return [
            make_part(shapes[k % len(shapes)], self.mass_kg, material, 1.0, k // len(shapes))
            for k in range(self.n)
        ]

    def spec(self) -> CellSpec:
        """Layers of the parts over the floor of a bin that four walls bound."""
        random = random_of(self.name)
        parts = self.parts()
        pitch = 2.1 * max(part.reach_m for part in parts)
        side = max(2, round((self.n / 2) ** (1 / 3)))
        wall = side * pitch / 2
        at = {
            "Left": (-wall, 0.0),
            "Right": (wall, 0.0),
            "Front": (0.0, -wall),
            "Back": (0.0, wall),
        }
        bodies, skins = {}, {}
        for k, part in enumerate(parts):
            column, row, layer = k % side, k // side % side, k // side**2
            off = random.uniform(-0.02, 0.02, 2) * pitch
            bodies[f"B{k}"] = part.body(
                position_m=(
                    float((column + 0.5) * pitch - wall + off[0]),
                    float((row + 0.5) * pitch - wall + off[1]),
                    DROP_M + (layer + 0.5) * pitch,
                ),
                orientation_deg=angles_deg(any_angle(random)),
            )
            skins[f"S{k}"] = Surface(on=f"B{k}", material=self.pair.part, **part.skin())
        frames = {"Floor": Frame()} | {
            name: Frame(position_m=(x, y, 0.0), orientation_deg=TURNED_DEG[name])
            for name, (x, y) in at.items()
        }
        sides = {
            f"{name}Side": Surface(
                on=name, material=self.pair.ground, half_space=HalfSpaceSurface()
            )
            for name in frames
        }
        return CellSpec(name=self.name, frame=frames, body=bodies, surface={**sides, **skins})


def heaps() -> Iterator[Heap]:
    """Ten seeds of each number; of 1500 parts one seed a combination, and ten in all."""
    of = {pair.part: pair for pair in shipped_pairs() if pair.part == pair.ground}
    of["rubber"] = next(pair for pair in shipped_pairs() if pair.name == "rubber-steel")
    for n in COUNTS:
        number = 0
        for seed in range(SEEDS):
            for material in MATERIALS:
                for mix in MIXES:
                    number += 1
                    if n >= 1500 and (number > SEEDS or material == "rubber"):
                        continue
                    mass = MASSES_KG[(seed + number) % 3]
                    name = f"heap/{material}/{n}/{mix}/{mass:g}kg/{seed}"
                    yield Heap(name, of[material], mix, n, mass, seed)


def judge_heap(heap: Heap) -> Row:
    """Run a heap tick by tick, so that ticks with a count can be told from others."""
    began = time.perf_counter()
    cell = Cell(heap.spec())
    parts = heap.parts()
    body = np.array([cell.signals[f"B{k}.Pose.X"].column for k in range(heap.n)])
    columns = body[:, None] + np.arange(16)
    inertia = np.array([part.inertia_kg_m2 for part in parts])
    row = np.empty((1, len(cell.signals)))
    first = most = np.nan
    lowest = np.inf
    ticks = unsettled = left_out = 0
    counts = Counts(0, 0)
    for _ in range(round(SECONDS[heap.n] / cell.step_s)):
        if not cell.run_into(row):
            break
        ticks += 1
        now = counts_of(cell)
        unsettled += now.unsettled > counts.unsettled
        left_out += now.left_out > counts.left_out
        counts = now
        motion = row[0, columns]
        energy = _energy(motion, heap.mass_kg, inertia)
        first, most = (energy, energy) if ticks == 1 else (first, max(most, energy))
        lowest = min(lowest, float(motion[:, 2].min()))
        if cell.fault:
            break
    bound = GAIN * first
    gain = max(0.0, most - first) / bound
    failures, detail = [], []
    if fault := cell.fault:
        failures.append("stopped")
        detail.append(f"stopped: {fault.object}: {fault.text} (tick {fault.tick})")
    if not gain <= 1:
        failures.append("energy")
        detail.append(f"energy: {gain:.3g} of its bound of {bound:.3g} J")
    # a column of all parts over one point is more than any can bear
    deepest = heap.pair.hit_m(heap.n * heap.mass_kg * G * DROP_M, heap.n * heap.mass_kg * G)
    if not lowest > -deepest:
        failures.append("through")
        detail.append(f"through: a centre at {lowest:.3g} m")
    return Row(
        "heap", heap.name, heap.pair.name, heap.mass_kg, heap.mix, f"n={heap.n} seed={heap.seed}",
        tuple(failures), "; ".join(detail), gain, unsettled, left_out, ticks,
        time.perf_counter() - began, heap.n,
    )  # fmt: skip


def _energy(motion: Floats, mass: float, inertia: Floats) -> float:
    w = own_axes(motion[:, 6:10], motion[:, 13:16])
    kinetic = 0.5 * mass * (motion[:, 10:13] ** 2).sum() + 0.5 * (inertia * w**2).sum()
    return float(kinetic + mass * G * motion[:, 2].sum())
