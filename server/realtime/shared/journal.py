"""What happened to the cell between two ticks, shared between processes: one writer, the loop.

Rows hold what was commanded. The journal holds the rest of what decides them: the start, resets,
restored states, moves that were ordered, the end of the timeline; and for people the orders that
decide nothing, such as Pause. From both of them a run can be repeated bit for bit.

An entry belongs to the first row that it has an effect on. It is written before that row is
counted: who looks at the ring first and then here misses none. Its payload lies in a ring of bytes.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from twincell.server.realtime.shared.ring import Ints

ENTRIES = 4096  # chosen: orders come by hand, or once in a while
BYTES = 16_777_216  # of payloads; chosen: thirty states of a cell with twenty arms

FILLING = 8  # part of the memory that may wait for a reader; chosen: the rest is time to read it

BEGIN = "begin"  # the cell is at its start; argument: 1 if the timeline is on
RESET = "reset"  # it is at its start again
RESTORE = "restore"  # payload: a moment; argument: 1 if its row is shown again before any tick
STATE = "state"  # payload: the moment as it is, so that a recording can begin here
MOVE = "move"  # argument: robot; payload: the plan
TIMELINE_OFF = "timeline off"  # from here on the cell file commands nothing
FAULT = "fault"  # payload: what stopped the cell, in words; the row is the last one

ENTRY = np.dtype(
    [
        ("row", "i8"),
        ("tick", "i8"),
        ("kind", "S24"),
        ("argument", "f8"),
        ("start", "i8"),
        ("length", "i8"),
    ]
)


class Entry(NamedTuple):
    """Something that happened."""

    row: int  # number of the first row that it has an effect on
    tick: int  # number of the next tick, when it happened
    kind: str
    argument: float
    payload: bytes


class JournalArrays(NamedTuple):
    """The memory of a journal. Entries and bytes are counted from the start."""

    entries: npt.NDArray[np.void]  # of dtype ENTRY                 (ENTRIES,)
    payload: npt.NDArray[np.uint8]  # (BYTES,)
    begun: Ints  # entries and bytes that are being written         (2,)
    written: Ints  # entries that can be read                       (1,)


class Journal:
    """The newest entries."""

    def __init__(self, arrays: JournalArrays) -> None:
        self._arrays = arrays

    @property
    def written(self) -> int:
        """How many there have been, which is the number of the next one."""
        return int(self._arrays.written[0])

    def is_filling(self, first: int, first_byte: int) -> bool:
        """Whether a reader who has all before this entry and byte should read soon."""
        entries, taken = self.written - first, self.payload_bytes - first_byte
        return entries > ENTRIES // FILLING or taken > BYTES // FILLING

    @property
    def payload_bytes(self) -> int:
        """How many bytes of payloads there have been."""
        return int(self._arrays.begun[1])

    def write(
        self, row: int, tick: int, kind: str, argument: float = 0.0, payload: bytes = b""
    ) -> None:
        """Note something; of a payload that is larger than all memory for them, nothing is kept."""
        arrays = self._arrays
        data = np.frombuffer(payload if len(payload) <= BYTES else b"", dtype=np.uint8)
        # an entry whose loop was killed half way is written over; its bytes may be half there
        number, start = int(arrays.written[0]), int(arrays.begun[1])
        arrays.begun[:] = number + 1, start + len(data)
        arrays.payload[_places(start, len(data))] = data
        entry = arrays.entries[number % ENTRIES]
        entry["row"], entry["tick"], entry["kind"] = row, tick, kind.encode()
        entry["argument"], entry["start"], entry["length"] = argument, start, len(data)
        arrays.written[0] = number + 1

    def read(self, first: int) -> tuple[int, list[Entry]]:
        """Entries from this number on, and the number of the first: later, if some are lost."""
        end = self.written
        first = max(first, end - ENTRIES)
        found: list[Entry] = []
        for number in range(first, end):
            entry = self._entry(number)
            if entry is None:  # and so are all before it
                first, found = number + 1, []
            else:
                found.append(entry)
        return first, found

    def _entry(self, number: int) -> Entry | None:
        arrays = self._arrays
        held: Any = arrays.entries[number % ENTRIES].copy()
        start, length = int(held["start"]), int(held["length"])
        payload = arrays.payload[_places(start, length)].tobytes()
        if number <= arrays.begun[0] - ENTRIES or start < arrays.begun[1] - BYTES:
            return None  # written over, perhaps while we copied it
        kind = bytes(held["kind"]).decode()
        return Entry(int(held["row"]), int(held["tick"]), kind, float(held["argument"]), payload)


def _places(start: int, length: int) -> Ints | slice:
    """Where some bytes lie: one piece, but for those around the end of the ring."""
    first = start % BYTES
    if first + length <= BYTES:
        return slice(first, first + length)
    return np.arange(start, start + length) % BYTES
