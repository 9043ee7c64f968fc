"""Judges a batch case by case. If anything stops or is counted, each case runs alone.

    energy     E gains at most 1 % of all there is, and ½ m (0.03 m/s)², which is rest to the
               solver: over its start, and later over all that it was 0.2 to 0.4 s ago
    through    the centre never comes lower than its least height less the law's depth of the hit
    rest       every point slower than 1 mm/s over the last 100 ticks
    creep      mean velocity along level ground below 1 µm/s: the law's creep there is 0
    weight     mean force of the last 100 ticks is m g to 1e-6
    law        velocity or acceleration along a slope as the friction curve says

A cylinder that wobbles on its rim may gain ten times the bound: points stay where they are within a
tick, while the rim rolls on.
"""

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bench.proof.batch import Batch, Case
from bench.proof.counts import Counts
from bench.proof.pairing import G
from bench.proof.watch import STILL_M_S, Track, follow

GAIN = 0.01  # of all energy there is
RIM = 10.0  # bounds that a cylinder may gain; chosen: a tenth of all energy there is
CALM_M_S = 0.03  # 30 m/s² h at 1 ms: slower hits count as rest, see docs/engine/contact.md
SLACK_M = 1e-4  # of a height: what a tick does not foresee, 100 m/s² h²
LOST = "its motion grew beyond all bounds"

JUDGEMENTS = ("stopped", "energy", "through", "rest", "creep", "weight", "law")
FAILURES = (*JUDGEMENTS, *Counts._fields)


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
    gain: float  # energy above that of the start, by its bound
    later: float  # energy above what it was shortly before, by the same bound
    unsettled: int
    left_out: int
    ticks: int
    wall_s: float
    n_body: int = 1
    spun: bool = False  # lost, as it spun too fast for the tick: see watch.py

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


def _row(case: Case, track: Track, k: int, wall_s: float) -> Row:
    gain = later = 0.0
    if case.expected.energy:
        bound = energy_bound_j(case, float(track.start_j[k]))
        gain = max(0.0, float(track.gain_j[k]) - case.stored_j) / bound
        later = max(0.0, float(track.later_j[k]) - case.held_j) / bound
    found = dict(_failures(case, track, k, gain, later))
    spun = bool(track.spun[k]) and LOST in track.stopped
    if spun:
        del found["stopped"]
    return Row(
        case.family, case.name, case.material, case.part.mass_kg, case.part.shape,
        " ".join(f"{key}={_short(value)}" for key, value in case.note.items()),
        tuple(found), "; ".join(f"{what}: {says}" for what, says in found.items()),
        gain, later, *track.counts, track.ticks, wall_s, spun=spun,
    )  # fmt: skip


def energy_bound_j(case: Case, start_j: float) -> float:
    """What a case may gain: a share of what there is, and what counts as rest."""
    there = start_j + case.part.mass_kg * G * case.height_m + case.stored_j
    return GAIN * there + 0.5 * case.part.mass_kg * CALM_M_S**2


def _failures(
    case: Case, track: Track, k: int, gain: float, later: float
) -> Iterator[tuple[str, str]]:
    """What is not as expected, and what was seen instead."""
    expected = case.expected
    if track.stopped:
        yield "stopped", track.stopped
    if not max(gain, later) <= (RIM if case.part.shape == "cylinder" else 1.0):
        yield "energy", f"{gain:.3g} of its bound, later {later:.3g}"
    lowest = track.lowest_m[k]
    if expected.lowest_m is not None and not lowest >= expected.lowest_m - SLACK_M:
        yield "through", f"centre at {lowest:.4g} m, least is {expected.lowest_m:.4g} m"
    for what, count in track.counts._asdict().items():
        if count:
            yield what, str(count)
    if not track.stopped:
        yield from _in_the_end(case, track, k)


def _in_the_end(case: Case, track: Track, k: int) -> Iterator[tuple[str, str]]:
    expected = case.expected
    if expected.rest and not track.speed_m_s[k] < STILL_M_S:
        yield "rest", f"{track.speed_m_s[k]:.3g} m/s"
    if not track.drift_m_s[k] <= expected.drift_m_s:
        yield "creep", f"{track.drift_m_s[k]:.3g} m/s"
    if expected.weight is not None and not abs(track.weight[k] - 1) < expected.weight:
        yield "weight", f"{track.weight[k] - 1:+.3g} of it"
    for wanted, seen in (
        (expected.velocity_m_s, track.velocity_m_s[k]),
        (expected.acceleration_m_s2, track.acceleration_m_s2[k]),
    ):
        if wanted is None:
            continue
        if not abs(seen - wanted) <= expected.law_tolerance * abs(wanted):
            yield "law", f"{seen:.6g}, the law says {wanted:.6g}"


def _short(value: float | str) -> str:
    return value if isinstance(value, str) else f"{np.round(value, 12):.6g}"
