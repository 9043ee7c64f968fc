"""The memory that the processes of a cell share: ring, command queue, orders, journal, boards.

It is anonymous: child processes inherit it by fork, and it is gone with the last of them, however
they end. Nothing has to be named, found or cleaned up.
"""

import mmap
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from twincell.server.realtime.shared.bridge_board import BRIDGE, BridgeBoard
from twincell.server.realtime.shared.command_queue import CAPACITY, CommandQueue, QueueArrays
from twincell.server.realtime.shared.journal import BYTES, ENTRIES, ENTRY, Journal, JournalArrays
from twincell.server.realtime.shared.order_box import ORDER, SLOTS, OrderArrays, OrderBox
from twincell.server.realtime.shared.record_box import RECORD_BOX, RecordBox
from twincell.server.realtime.shared.ring import (
    EXTRA_COLUMNS,
    NOBODY_RECORDS,
    Ints,
    Ring,
    RingArrays,
    rows_for,
)
from twincell.server.realtime.shared.vitals import VITALS, Vitals
from twincell.server.realtime.shared.wake_signal import WakeSignal

ALIGNMENT = 64  # bytes of a cache line: counters of two writers never share one


class Link:
    """Everything the loop shares with the other processes."""

    def __init__(
        self, n_signal: int, n_row: int | None = None, bridges: Sequence[str] = ()
    ) -> None:
        n_row = n_row or rows_for(n_signal)
        parts: list[tuple[tuple[int, ...], npt.DTypeLike]] = [
            ((n_row, n_signal + EXTRA_COLUMNS), np.float64),
            ((n_row,), np.int64),
            ((n_row,), np.int64),
            ((1,), np.int64),
            ((CAPACITY,), np.int64),
            ((CAPACITY,), np.int64),
            ((CAPACITY,), np.float64),
            ((1,), np.int64),
            ((1,), np.int64),
            ((SLOTS,), ORDER),
            ((1,), np.int64),
            ((1,), np.int64),
            ((1,), VITALS),
            ((ENTRIES,), ENTRY),
            ((BYTES,), np.uint8),
            ((2,), np.int64),
            ((1,), np.int64),
            ((1,), RECORD_BOX),
            ((1,), np.int64),
            ((len(bridges),), BRIDGE),
        ]
        arrays = _shared(parts)
        self.ring = Ring(RingArrays(*arrays[0:4]))
        self.commands = CommandQueue(QueueArrays(*arrays[4:9]))
        self.loop_wake_signal = WakeSignal()  # wakes up a loop that stands still
        self.orders = OrderBox(
            OrderArrays(*arrays[9:12]), self.commands, self.loop_wake_signal, WakeSignal()
        )
        self.vitals = Vitals(arrays[12])
        self.journal = Journal(JournalArrays(*arrays[13:17]))
        self.recording = RecordBox(arrays[17])
        # first row that the recorder has not taken yet; it writes this, and -1 when it ends
        self.recorded: Ints = arrays[18]
        self.recorded[0] = NOBODY_RECORDS
        self.bridges = BridgeBoard(bridges, arrays[19])


def _shared(parts: list[tuple[tuple[int, ...], npt.DTypeLike]]) -> list[npt.NDArray[Any]]:
    """Arrays of zeros in one piece of shared memory."""
    sizes = [_aligned(int(np.prod(shape)) * np.dtype(dtype).itemsize) for shape, dtype in parts]
    memory = mmap.mmap(-1, sum(sizes))
    arrays, offset = [], 0
    for (shape, dtype), size in zip(parts, sizes, strict=True):
        arrays.append(np.ndarray(shape, dtype=dtype, buffer=memory, offset=offset))
        offset += size
    return arrays


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
