"""The last seconds of some signals, at the full rate or as much as a picture can show.

A picture of n points over many more rows shows for each of its columns the least and the greatest
value: a peak of one tick is never lost.
"""

import struct

import numpy as np

from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.ring import Floats

MOST_SIGNALS = 12
MOST_POINTS = 20_000  # a whole ring at the full rate
HEADER = struct.Struct("<II")  # points, columns: time and the signals


def span(link: Link, step_s: float, columns: list[int], from_s: float, points: int) -> bytes:
    """Rows since so long before now, as seconds and values, column by column."""
    ring = link.ring
    wanted = np.array([ring.time_column, *columns[:MOST_SIGNALS]], dtype=np.int64)
    written = ring.written
    if not written:
        return HEADER.pack(0, len(wanted))
    first = max(0, written - round(from_s / step_s))
    values = ring.read(first, written, wanted).values
    values = thinned(since_reset(values), points)
    return HEADER.pack(*values.shape) + values.T.astype("<f8").tobytes()


def since_reset(values: Floats) -> Floats:
    """Rows since time began anew, times first: what was before a reset is another story."""
    resets = np.flatnonzero(np.diff(values[:, 0]) < 0)
    return values[resets[-1] + 1 :] if len(resets) else values


def thinned(values: Floats, points: int) -> Floats:
    """At most about so many rows, without losing a peak of any column but the first, the time."""
    points = min(max(points, 2), MOST_POINTS)
    if len(values) <= points:
        return values
    each = -(-2 * len(values) // points)
    whole = len(values) // each * each
    blocks = values[len(values) - whole :].reshape(-1, each, values.shape[1])
    least, greatest = blocks.min(axis=1), blocks.max(axis=1)
    # the order in which the two came is kept for each column; their times are the block's ends
    rises = blocks.argmin(axis=1) <= blocks.argmax(axis=1)
    first, second = np.where(rises, least, greatest), np.where(rises, greatest, least)
    first[:, 0], second[:, 0] = blocks[:, 0, 0], blocks[:, -1, 0]
    return np.stack([first, second], axis=1).reshape(-1, values.shape[1])
