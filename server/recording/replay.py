"""Replays a recording: the same commands and orders into the same cell must give the same bits.

The rows say what each tick latched, the orders what happened between ticks. Where the commands do
not change and nothing was ordered, many ticks are run in one go.

Replay begins where the recording knows the whole state: at the start of the cell, a reset, a
restored state, or the state that was noted when the recording began. After lost rows it waits for
the next such place.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from twincell.server.realtime.shared import journal
from twincell.server.realtime.shared.array_bytes import unpack_arrays
from twincell.server.realtime.shared.journal import Entry
from twincell.server.realtime.shared.ring import Floats, Ints
from twincell.server.recording.checked_moment import (
    CheckedMoment,
    checked_moment,
    checked_move,
)
from twincell.server.recording.facts import Facts
from twincell.server.recording.recording import Event, Part, Rows
from twincell.server.recording.recording_writer import ORDERS_LOST
from twincell.sim.arrays import copy_arrays
from twincell.sim.cell import Cell
from twincell.sim.plan import Refused
from twincell.sim.plan.begin import begin_move
from twincell.sim.signals import Direction, Kind, SignalTable
from twincell.sim.state import State


class NotReplayable(Exception):
    """The recording cannot be replayed; the text says why."""


@dataclass(frozen=True)
class Deviation:
    """The first value that is not the recorded one."""

    row: int
    tick: int
    signal: str
    recorded: float
    replayed: float


@dataclass(frozen=True)
class Replayed:
    """Rows as they were computed again."""

    first: int
    values: Floats  # (n, n_signal)
    ticks: Ints
    stamps: Ints


class Replay:
    """A replay of one recording."""

    def __init__(self, cell: Cell, facts: Facts) -> None:
        if _names(cell.signals) != _names(facts.signals):
            raise NotReplayable("this version of twincell gives its cell other signals")
        self._cell = cell
        self._names = [signal.name for signal in facts.recorded]
        self._columns = np.array([cell.signals[name].column for name in self._names], dtype=int)
        self._start = (copy_arrays(cell.state), cell.commands.values.copy())
        self._ahead: deque[Entry] = deque()  # of rows that are still to come
        self._is_known = False  # whether the cell is where it was
        self._next = facts.first_row
        self._shown: Floats | None = None  # a row that is no tick
        self.compared = 0  # rows, all their kept values
        self.skipped = 0  # rows of which nobody knows the state
        self.deviation: Deviation | None = None

    def run(self, parts: Iterator[Part]) -> Iterator[Replayed | Entry]:
        """Go through a recording; give back the rows and orders that were carried out."""
        for part in parts:
            if isinstance(part, Entry):
                self._ahead.append(part)
            elif isinstance(part, Rows):
                yield from self._replay(part)
            elif isinstance(part, Event) and part.type == ORDERS_LOST:
                self._is_known = False

    def _replay(self, rows: Rows) -> Iterator[Replayed | Entry]:
        if rows.first != self._next:
            self._is_known = False
        changes = rows.first + 1 + np.flatnonzero(_differ(rows.latched[1:], rows.latched[:-1]))
        row, end = rows.first, rows.first + len(rows.ticks)
        while row < end:
            while self._ahead and self._ahead[0].row <= row:
                entry = self._ahead.popleft()
                self._carry_out(entry)
                if entry.row < row:  # the rows that it had an effect on were lost
                    self._is_known, self._shown = False, None
                yield entry
            later = changes[np.searchsorted(changes, row, side="right") :]
            stop = min([end, *later[:1].tolist(), *(entry.row for entry in list(self._ahead)[:1])])
            if self._shown is not None:
                stop = row + 1
            part = slice(row - rows.first, stop - rows.first)
            if self._is_known:
                computed = self._computed(rows.latched[part.start], stop - row)
                self._compare(rows, row, stop, computed)
                n = len(computed)
                yield Replayed(row, computed, rows.ticks[part][:n], rows.stamps[part][:n])
            else:
                self.skipped += stop - row
            row = stop
        self._next = end

    def _computed(self, latched: Floats, count: int) -> Floats:
        """The next rows, all with the same commands; fewer if the cell stops itself."""
        if self._shown is not None:
            shown, self._shown = self._shown, None
            return shown[None, :]
        self._cell.commands.values[:] = latched
        return self._cell.run(count)

    def _compare(self, rows: Rows, first: int, end: int, computed: Floats) -> None:
        numbers = rows.first + rows.kept
        inside = np.flatnonzero((numbers >= first) & (numbers < end))
        there = inside[numbers[inside] - first < len(computed)]
        again = np.ascontiguousarray(computed[numbers[there] - first][:, self._columns])
        differs = again.view(np.int64) != rows.values[there].view(np.int64)
        self.compared += len(there)
        if self.deviation is not None:
            return
        if differs.any():
            k, column = np.argwhere(differs)[0]
            name = self._names[column]
            tick = int(rows.ticks[rows.kept[there[k]]])
            values = float(rows.values[there[k], column]), float(again[k, column])
            self.deviation = Deviation(int(numbers[there[k]]), tick, name, *values)
        elif len(computed) < end - first:
            row = first + len(computed)
            tick = int(rows.ticks[row - rows.first])
            self.deviation = Deviation(row, tick, "the cell stopped itself", np.nan, np.nan)

    # ---------------------------------------------------------------- orders

    def _carry_out(self, entry: Entry) -> None:
        """Do again what was done before a row."""
        if entry.kind in (journal.BEGIN, journal.RESET):
            state, commands = self._start
            self._put_back(state, commands)
            if entry.kind == journal.BEGIN and not entry.argument:
                self._cell.ignore_timeline()
        elif entry.kind == journal.RESTORE:
            moment = self._moment(entry)
            if not moment.is_finite:
                raise _bad(entry, "its state is not made of finite numbers")
            self._put_back(moment.state, moment.commands)
            self._shown = moment.row if entry.argument else None
        elif entry.kind == journal.STATE and not self._is_known:
            moment = self._moment(entry)
            if moment.is_finite:  # else the cell stands, until a reset or a restore
                self._put_back(moment.state, moment.commands)
            if not entry.argument:
                self._cell.ignore_timeline()
        elif entry.kind == journal.TIMELINE_OFF:
            self._cell.ignore_timeline()
        elif entry.kind == journal.MOVE and self._is_known:
            self._begin_move(entry)

    def _put_back(self, state: State, commands: Floats) -> None:
        self._cell.restore(state)
        self._cell.commands.values[:] = commands
        self._is_known, self._shown = True, None

    def _moment(self, entry: Entry) -> CheckedMoment:
        """A state that the recording holds."""
        try:
            return checked_moment(self._cell, unpack_arrays(entry.payload))
        except ValueError as error:
            raise _bad(entry, str(error)) from error

    def _begin_move(self, entry: Entry) -> None:
        try:
            robot, plan = checked_move(self._cell, entry.argument, unpack_arrays(entry.payload))
            begin_move(self._cell.model, self._cell.state, robot, plan)
        except ValueError as error:
            raise _bad(entry, str(error)) from error
        except Refused as refusal:
            if self.deviation is None:
                name = list(self._cell.spec.robot)[robot]
                what = f"{name} does not begin its move: {refusal}"
                self.deviation = Deviation(entry.row, entry.tick, what, np.nan, np.nan)


def _names(signals: SignalTable) -> list[tuple[str, Direction, Kind]]:
    return [(one.name, one.direction, one.kind) for one in signals]


def _bad(entry: Entry, problem: str) -> NotReplayable:
    return NotReplayable(f"the {entry.kind} before row {entry.row}: {problem}")


def _differ(rows: Floats, others: Floats) -> npt.NDArray[np.bool_]:
    """Which rows differ in any bit."""
    bits, other_bits = rows.view(np.int64), others.view(np.int64)
    different: npt.NDArray[np.bool_] = (bits != other_bits).any(axis=1)
    return different
