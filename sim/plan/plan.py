"""A planned move: a path q(s) and a time law s(t).

    q = q(s(t))      q̇ = q' ṡ      q̈ = q'' ṡ² + q' s̈

The path is made of cubic pieces that meet with equal first and second derivatives; the law of
segments of constant jerk. s is whatever measures the path best (metres along lines, radians of a
turn on the spot, the way of the joint that goes farthest); nobody but the planner needs to know.
"""

from typing import NamedTuple

import numpy as np

from twincell.sim.model import Floats


class Plan(NamedTuple):
    """A move: a path through joint positions, and how fast to go along it."""

    knots: Floats  # s where the pieces of the path begin, and its end     (n_piece + 1,)
    pieces: Floats  # q = c0 + c1 x + c2 x² + c3 x³, x = s - knots[piece]   (n_axis, n_piece, 4)
    law: Floats  # segments in time: begin [s], s, ṡ, s̈, jerk of s         (n_law, 5)
    limits: Floats  # greatest s̈ and jerk of s: for a stop on the path      (2,)


class Refused(Exception):
    """A move that cannot be done; the text says why."""


def sample(plan: Plan, time: float) -> tuple[Floats, Floats, Floats]:
    """Joint positions, velocities and accelerations at a time since the start of the move."""
    segment = max(int(np.searchsorted(plan.law[:, 0], time, side="right")) - 1, 0)
    begin, s, ds, dds, jerk = plan.law[segment]
    t = max(time - begin, 0.0)
    s = s + t * (ds + t * (dds / 2 + t * jerk / 6))
    ds = ds + t * (dds + t * jerk / 2)
    dds = dds + t * jerk

    last = plan.pieces.shape[1] - 1
    piece = min(max(int(np.searchsorted(plan.knots, s, side="right")) - 1, 0), last)
    x = s - plan.knots[piece]
    c0, c1, c2, c3 = plan.pieces[:, piece].T
    slope = c1 + x * (2 * c2 + x * 3 * c3)
    bend = 2 * c2 + x * 6 * c3
    return c0 + x * (c1 + x * (c2 + x * c3)), slope * ds, bend * ds * ds + slope * dds
