"""Greatest values of cubic pieces, exactly: a polynomial has them at its ends or where it turns.

q = c0 + c1 x + c2 x² + c3 x³,   0 ≤ x ≤ h
q   turns where c1 + 2 c2 x + 3 c3 x² = 0
q'  turns at x = -c2 / (3 c3)          q'' is straight          q''' is constant
"""

import numpy as np

from twincell.sim.model import Floats


def turning_points(knots: Floats, pieces: Floats) -> tuple[Floats, Floats]:
    """Places s and joint positions among which all extremes of the path are (n, n_axis)."""
    lengths = np.diff(knots)
    c0, c1, c2, c3 = np.moveaxis(pieces, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        # the two roots without cancellation: w/(3 c3) and c1/w; none: nan
        w = -(c2 + np.copysign(np.sqrt(c2 * c2 - 3 * c1 * c3), c2))
        roots = [w / (3 * c3), c1 / w]

    # a root outside its piece does no harm at the piece's end: that is on the path as well
    inside = [np.clip(np.nan_to_num(x, posinf=0.0, neginf=0.0), 0, lengths) for x in roots]
    x = np.array([np.zeros_like(c1), np.broadcast_to(lengths, c1.shape), *inside])
    return _listed(knots[:-1] + x), _listed(c0 + x * (c1 + x * (c2 + x * c3)))


def greatest_derivatives(knots: Floats, pieces: Floats) -> tuple[Floats, Floats, Floats]:
    """Greatest |q'|, |q''| and |q'''| of each joint on each piece (n_axis, n_piece)."""
    lengths = np.diff(knots)
    _, c1, c2, c3 = np.moveaxis(pieces, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        vertex = np.nan_to_num(-c2 / (3 * c3), posinf=0.0, neginf=0.0)
    x = np.array(
        [np.zeros_like(c1), np.broadcast_to(lengths, c1.shape), np.clip(vertex, 0, lengths)]
    )
    first = np.abs(c1 + x * (2 * c2 + x * 3 * c3)).max(axis=0)
    second = np.maximum(np.abs(2 * c2), np.abs(2 * c2 + 6 * c3 * lengths))
    return first, second, np.abs(6 * c3)


def _listed(values: Floats) -> Floats:
    """(n, n_axis, n_piece) as one list for each joint (n * n_piece, n_axis)."""
    return values.transpose(0, 2, 1).reshape(-1, values.shape[1])
