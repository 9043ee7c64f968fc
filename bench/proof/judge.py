"""Judges a batch case by case. If anything stops or is counted, each case runs alone.

energy     E gains at most 1 % of all there is, and ½ m (0.03 m/s)²: that is rest to the solver
through    the centre never comes lower than its least height less the law's depth of the hit
rest       every point slower than 1 mm/s over the last 100 ticks
creep      on level ground the law's creep is 0: drift below 1 µm/s
weight     mean force of the last 100 ticks is m g to 1e-6
law        velocity or acceleration along a slope as the friction curve says
"""

import time
from typing import NamedTuple

import numpy as np

from bench.proof.batch import Batch, Case
from bench.proof.counts import Counts
from bench.proof.pairing import G
from bench.proof.watch import CREEP_M_S, STILL_M_S, Track, follow

GAIN = 0.01  # of all energy there is
CALM_M_S = 0.03  # 30 m/s² h at 1 ms: slower hits count as rest, see docs/contact.md
LOST = "its motion grew beyond all bounds"
SLACK_M = 1e-4  # of a height: what a tick does not foresee, 100 m/s² h²

FAILURES = (
    "stopped",
    "energy",
    "through",
    "rest",
    "creep",
    "weight",
    "law",
    "unsettled",
    "left_out",
)


class Row(NamedTuple):
    """The result of one case."""

    family: str
    name: str
    material: str
    mass_kg: float
    shape: str
    parameters: str
    failures: tuple[str, ...]
    detail: str
    gain: float  # energy by its bound
    unsettled: int
    left_out: int
    ticks: int
    wall_s: float
    n_body: int = 1
    spun: bool = False

    @property
    def result(self) -> str:
        return " ".join(self.failures) or ("spun" if self.spun else "ok")


def judge(batch: Batch) -> list[Row]:
    """Run a batch; one row a case."""
    began = time.perf_counter()
    track = follow(batch)
    together = not track.stopped and track.counts == Counts(0, 0)
    if together or len(batch.cases) == 1:
        wall = (time.perf_counter() - began) / len(batch.cases)
        return [_row(case, track, k, wall) for k, case in enumerate(batch.cases)]
    return [row for case in batch.cases for row in judge(batch.alone(case))]


def energy_bound_j(case: Case, start_j: float, height_m: float) -> float:
    """What a case may gain: a share of what there is, and what counts as rest."""
    there = start_j + case.part.mass_kg * G * max(0.0, height_m) + case.stored_j
    return GAIN * there + 0.5 * case.part.mass_kg * CALM_M_S**2


def _row(case: Case, track: Track, k: int, wall_s: float) -> Row:
    expected = case.expected
    failures: list[str] = []
    detail: list[str] = []

    def fails(what: str, says: str) -> None:
        failures.append(what)
        detail.append(f"{what}: {says}")

    # spinning too fast for the tick, a part is lost without any contact
    spun = bool(track.spun[k]) and LOST in track.stopped
    if track.stopped and not spun:
        fails("stopped", track.stopped)
    gain = 0.0
    if expected.energy:
        bound = energy_bound_j(case, float(track.start_j[k]), case.height_m)
        gain = max(0.0, float(track.gain_j[k]) - case.stored_j) / bound
        if not gain <= 1:
            fails("energy", f"{gain:.3g} of its bound of {bound:.3g} J")
    if expected.lowest_m is not None and not track.lowest_m[k] >= expected.lowest_m - SLACK_M:
        fails("through", f"centre at {track.lowest_m[k]:.4g} m, least is {expected.lowest_m:.4g} m")
    if not track.stopped:
        if expected.rest and not track.speed_m_s[k] < STILL_M_S:
            fails("rest", f"{track.speed_m_s[k]:.3g} m/s")
        if expected.weight is not None:
            if not track.drift_m_s[k] < CREEP_M_S:
                fails("creep", f"{track.drift_m_s[k]:.3g} m/s")
            if not abs(track.weight[k] - 1) < expected.weight:
                fails("weight", f"{track.weight[k] - 1:+.3g} of it")
        for wanted, seen in (
            (expected.velocity_m_s, track.velocity_m_s[k]),
            (expected.acceleration_m_s2, track.acceleration_m_s2[k]),
        ):
            if wanted is None:
                continue
            if not abs(seen - wanted) <= expected.law_tolerance * abs(wanted):
                fails("law", f"{seen:.6g}, the law says {wanted:.6g}")
    for what, count in track.counts._asdict().items():
        if count:
            fails(what, str(count))
    return Row(
        case.family, case.name, case.material, case.part.mass_kg, case.part.shape,
        " ".join(f"{key}={_short(value)}" for key, value in case.note.items()),
        tuple(failures), "; ".join(detail), gain, *track.counts, track.ticks, wall_s, spun=spun,
    )  # fmt: skip


def _short(value: float | str) -> str:
    return value if isinstance(value, str) else f"{np.round(value, 12):.6g}"
