"""A block of rows as bytes, and back, bit for bit. To read recordings elsewhere, copy this file.

A column is seen as the 64-bit integers that its doubles are made of. A smooth signal's integers
are predicted well by differences of a low order k, and differences wrap around, so they lose
nothing, not even a NaN's bits:

    d = Δᵏ x   (Δx)ᵢ = xᵢ - xᵢ₋₁ mod 2⁶⁴, x₋₁ = 0      k = 0 to 4: whichever leaves least bits
    z = 2 d, or -2 d - 1 where d < 0                     small of either sign: leading zeros
    bytes of z: all lowest ones first, ..., all highest  runs of zeros: any compressor likes them

Layout, little endian, `docs/use/recordings.md`:

    u32 rows   u32 columns   i64 number of the first row   u32 every    20 bytes
    u8 k for each column
    8 planes of bytes, each column after column, each row after row

The block itself is not compressed: the MCAP chunk around it is.
"""

import struct
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]

HEADER = struct.Struct("<IIqI")
HIGHEST_ORDER = 4  # measured on a tool change by arms: a fifth order is chosen for no column
BYTES = 8  # of a number
MOST_ROWS = 500  # of a block; measured: longer ones save 2 %
LARGE = 16_000_000  # bytes of a block, unless a single row has more; chosen


class DamagedBlock(ValueError):
    """The bytes are no block of rows."""


class RowBlock(NamedTuple):
    """Rows number first, first + every, ...: one column a signal."""

    first: int
    every: int
    bits: Integers  # the doubles as integers                       (n_row, n_column)

    @property
    def values(self) -> npt.NDArray[np.float64]:
        """The rows as numbers."""
        return self.bits.view(np.float64)


def rows_of_a_block(n_column: int) -> int:
    """How many rows of so many columns to put into a block."""
    return max(1, min(MOST_ROWS, LARGE // (BYTES * max(n_column, 1))))


def encode(block: RowBlock) -> bytes:
    """A block as bytes."""
    n_row, n_column = block.bits.shape
    difference = np.ascontiguousarray(block.bits.T)
    best, best_size = _zigzag(difference), _size(_zigzag(difference))
    order = np.zeros(n_column, dtype=np.uint8)
    for k in range(1, HIGHEST_ORDER + 1):
        difference = np.diff(difference, axis=1, prepend=np.int64(0))
        folded = _zigzag(difference)
        size = _size(folded)
        better = size < best_size
        best[better], best_size[better], order[better] = folded[better], size[better], k
    planes = best.view(np.uint8).reshape(n_column, n_row, BYTES).transpose(2, 0, 1)
    return (
        HEADER.pack(n_row, n_column, block.first, block.every) + order.tobytes() + planes.tobytes()
    )


def decode(data: bytes) -> RowBlock:
    """The block of some bytes."""
    if len(data) < HEADER.size:
        raise DamagedBlock(f"{len(data)} bytes are no block of rows")
    n_row, n_column, first, every = HEADER.unpack_from(data)
    if n_row > MOST_ROWS:
        raise DamagedBlock(f"it has {n_row} rows, and no block has more than {MOST_ROWS}")
    start = HEADER.size + n_column
    if len(data) != start + BYTES * n_row * n_column:
        raise DamagedBlock(f"{n_row} rows of {n_column} columns are not {len(data)} bytes")
    order = np.frombuffer(data, np.uint8, n_column, HEADER.size)
    if order.max(initial=0) > HIGHEST_ORDER:
        raise DamagedBlock(f"there is no difference of order {order.max()}")
    planes = np.frombuffer(data, np.uint8, offset=start).reshape(BYTES, n_column, n_row)
    together = np.ascontiguousarray(planes.transpose(1, 2, 0)).reshape(-1)
    folded = together.view(np.int64).reshape(n_column, n_row)
    bits = ((folded >> 1) & np.int64(2**63 - 1)) ^ -(folded & 1)
    for k in range(1, HIGHEST_ORDER + 1):
        deep = order >= k
        bits[deep] = np.cumsum(bits[deep], axis=1)
    return RowBlock(first, every, np.ascontiguousarray(bits.T))


def _zigzag(difference: Integers) -> Integers:
    """Small numbers of either sign as small numbers without one."""
    return (difference << 1) ^ (difference >> 63)


def _size(folded: Integers) -> npt.NDArray[np.float64]:
    """About how many bits each column takes."""
    bits: npt.NDArray[np.float64] = np.log2(folded.view(np.uint64) + 1.0).sum(axis=1)
    return bits
