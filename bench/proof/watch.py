"""Runs a batch and follows its parts: energy, height over the ground, and how they end.

    energy   E = ½ m v² + ½ ω·Jω - m g·p - W        W = Σ F·Δx, the work of a ground that moves

F is the mean force of a tick on the part, Δx the ground's way in it. What the springs of contacts
hold is not seen, but it is never negative: E stays below its start plus what they held then.

A part that spins by more than about a radian in a tick gains energy in free flight already, and is
lost sooner or later: that is the tick's, not the contact's. Energy is looked at until a part has
spun by more than FAST in a tick, which still shows what the hit made of it, unless that row is
beyond TOO_FAST already. A ball, which does not tumble, is looked at however fast it is.
"""

from typing import NamedTuple

import numpy as np
from scipy.ndimage import maximum_filter1d

from bench.proof.batch import Batch
from bench.proof.counts import Counts, counts_of
from twincell.sim.cell import Cell
from twincell.sim.model import Floats

LAST = 100  # ticks at the end that are judged
WINDOW = 200  # ticks; the swings of 100 kg on rubber last 0.12 s
CHUNK_S = 0.5
FAST, TOO_FAST = 0.3, 1.0  # [rad] in a tick: free flight gains 3e-5 in 0.2 s, and 3 %; measured
STILL_M_S = 1e-3
N_BODY, N_SKIN = 16, 4  # signals of a body and of a surface


class Track(NamedTuple):
    """How the parts of a batch moved: one entry a case."""

    stopped: str  # the fault, empty if there is none
    spun: np.ndarray  # whether a part has spun by more than TOO_FAST in a tick
    ticks: int
    counts: Counts
    gain_j: Floats  # greatest energy above that of the start
    later_j: Floats  # greatest energy above all that it was one to two windows ago
    start_j: Floats  # energy of the motion at the start
    lowest_m: Floats  # least height of the centre over the ground
    speed_m_s: Floats  # greatest of the last ticks, of any point of the part
    drift_m_s: Floats  # mean velocity of the last ticks along the ground, its size
    velocity_m_s: Floats  # mean of the last ticks along the batch's direction
    acceleration_m_s2: Floats  # mean of the last ticks along the batch's direction
    weight: Floats  # mean force of the last ticks against gravity, by the weight


class _Run:
    """A cell, and what has been seen of it."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.cell = Cell(batch.spec())
        n = len(batch.cases)
        columns = self.cell.signals
        self.body = np.array([columns[f"B{k}.Pose.X"].column for k in range(n)])
        self.skin = np.array([columns[f"S{k}.Contacts"].column for k in range(n)])
        self.mass = np.array([case.part.mass_kg for case in batch.cases])
        self.inertia = np.array([case.part.inertia_kg_m2 for case in batch.cases])
        self.reach = np.array([case.part.reach_m for case in batch.cases])
        self.even = np.ptp(self.inertia, axis=1) < 1e-9 * self.inertia.max(1)  # spins harmlessly
        self.work = np.zeros(n)
        self.first = np.zeros(n)
        self.start_j = np.zeros(n)
        self.energies: list[Floats] = []
        self.most = np.full(n, -np.inf)
        self.lowest = np.full(n, np.inf)
        self.fast = np.zeros(n, dtype=bool)
        self.spun = np.zeros(n, dtype=bool)
        self.left = np.zeros(n, dtype=bool)
        self.ticks = 0
        self.end: dict[str, Floats] = {}

    def advance(self, ticks: int) -> None:
        rows = self.cell.run(ticks)
        if len(rows):
            self._look(rows)
            self.ticks += len(rows)

    def _look(self, rows: Floats) -> None:
        body = rows[:, self.body[:, None] + np.arange(N_BODY)]
        force = rows[:, self.skin[:, None] + np.arange(1, N_SKIN)]
        p, q, v, w = body[..., :3], body[..., 6:10], body[..., 10:13], body[..., 13:16]
        times: Floats = self.cell.step_s * np.arange(self.ticks, self.ticks + len(rows) + 1.0)
        ground = self.batch.ground_at(times)
        gravity, normal = np.array(self.batch.gravity_m_s2), np.array(self.batch.normal)

        turning = 0.5 * (self.inertia * own_axes(q, w) ** 2).sum(-1)
        kinetic = 0.5 * self.mass * (v**2).sum(-1) + turning
        work = np.cumsum(np.einsum("tki,ti->tk", force, np.diff(ground, axis=0)), axis=0)
        before = self.work + np.vstack([np.zeros((1, len(self.mass))), work[:-1]])
        energy = kinetic - self.mass * (p @ gravity) - before
        self.work = self.work + work[-1]
        if self.ticks == 0:
            self.first = energy[0]
            self.start_j = kinetic[0]
        turn = np.linalg.norm(w, axis=-1) * self.cell.step_s
        turn[:, self.even] = 0.0
        # the first fast row still counts
        seen = _before(turn > FAST, self.fast) & (turn <= TOO_FAST)
        self.most = np.maximum(self.most, np.where(seen, energy, -np.inf).max(0))
        self.energies.append(np.where(seen, energy, -np.inf))
        self.fast |= (turn > FAST).any(0)
        self.spun |= (turn > TOO_FAST).any(0)

        height = p @ normal - (ground[:-1] @ normal)[:, None]
        beyond = np.abs(p[..., :2]).max(-1) > self.batch.within_m
        over = ~(np.logical_or.accumulate(beyond, axis=0) | self.left)
        self.lowest = np.minimum(self.lowest, np.where(over, height, np.inf).min(0))
        self.left |= beyond.any(0)

        last = slice(-LAST, None)
        g = float(np.linalg.norm(gravity))
        skin = np.linalg.norm(v[last], axis=-1) + self.reach * np.linalg.norm(w[last], axis=-1)
        mean = v[last].mean(0)
        change = (v[-1] - v[last][0]) / (self.cell.step_s * max(1, len(v[last]) - 1))
        along = np.array(self.batch.along)
        self.end = {
            "speed_m_s": skin.max(0),
            "drift_m_s": np.linalg.norm(mean - (mean @ normal)[:, None] * normal, axis=-1),
            "velocity_m_s": mean @ along,
            "acceleration_m_s2": change @ along,
            "weight": -(force[last].mean(0) @ gravity) / (self.mass * g**2),
        }

    def is_as_expected(self) -> bool:
        """Whether all parts that should be at rest are, with their weight on the ground."""
        expected = [case.expected for case in self.batch.cases]
        speed = np.array([STILL_M_S if e.rest else np.inf for e in expected])
        drift = np.array([e.drift_m_s for e in expected])
        weight = np.array([np.inf if e.weight is None else e.weight for e in expected])
        return bool(
            (self.end["speed_m_s"] < speed).all()
            and (self.end["drift_m_s"] <= drift).all()
            and (np.abs(self.end["weight"] - 1) < weight).all()
        )

    def track(self) -> Track:
        fault = self.cell.fault
        return Track(
            stopped="" if fault is None else f"{fault.object}: {fault.text} (tick {fault.tick})",
            spun=self.spun,
            ticks=self.ticks,
            counts=counts_of(self.cell),
            gain_j=self.most - self.first,
            later_j=later_gain(np.concatenate(self.energies)),
            start_j=self.start_j,
            lowest_m=self.lowest,
            **self.end,
        )


def follow(batch: Batch) -> Track:
    """Run a batch until its time is over and what should rest does, or until its most."""
    run = _Run(batch)
    chunk = round(CHUNK_S / batch.step_s)
    least, most = (round(time / batch.step_s) for time in (batch.seconds, batch.most_seconds))
    run.advance(min(least, most))
    while run.ticks < most and run.cell.fault is None:
        if run.is_as_expected():
            break
        run.advance(min(chunk, most - run.ticks))
    return run.track()


def later_gain(E: Floats) -> Floats:
    """How far an energy rises above all that it was one to two windows ago; a column a case."""
    if len(E) <= 2 * WINDOW:
        return np.zeros(E.shape[1:])
    # row k: of rows k to k + WINDOW
    recent = maximum_filter1d(E, WINDOW, axis=0, origin=-(WINDOW // 2))
    with np.errstate(invalid="ignore"):  # rows that are not looked at
        rise: Floats = E[2 * WINDOW :] - recent[: len(E) - 2 * WINDOW]
    return np.fmax(0.0, rise).max(0)


def _before(happens: np.ndarray, happened: np.ndarray) -> np.ndarray:
    """Rows up to the first in which something happens, and that one."""
    so_far = np.logical_or.accumulate(happens, axis=0)
    return ~np.vstack([happened, so_far[:-1] | happened])


def own_axes(q: Floats, w: Floats) -> Floats:
    """An angular velocity in the axes of the body: R_WBᵀ ω."""
    s, u = q[..., :1], -q[..., 1:]
    t = 2 * np.cross(u, w)
    turned: Floats = w + s * t + np.cross(u, t)
    return turned
