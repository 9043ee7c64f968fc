"""The course of a cell in time: its ticks, one by one, and where it stands between them.

A tick latches the commands, advances the cell and appends a row. Between two ticks the cell can be
held, stepped, set back or sped up; each of these begins a new schedule and, where the stamps
would leave the wall clock, a new anchor for them. A cell that is stepped has no schedule: its ticks
run at once when somebody asks for them, and their stamps follow each other by the step.
"""

from typing import NamedTuple

from twincell.server.offline import time_of
from twincell.server.realtime.clock import Clock
from twincell.server.realtime.handshake import Handshake
from twincell.server.realtime.pace import Pace
from twincell.server.realtime.shared import journal
from twincell.server.realtime.shared.array_bytes import pack_arrays
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.ring import Floats
from twincell.server.realtime.shared.vitals import LoopState
from twincell.server.realtime.stamps import Stamps
from twincell.server.realtime.time_mode import TimeMode, Timing
from twincell.sim.arrays import leaves
from twincell.sim.cell import Cell, Fault
from twincell.sim.state import State

REST_NS = 1_000_000  # between two parts of many steps: others need the core as well; chosen
LONGEST_REST_NS = 20_000_000  # while the cell stands still: orders end it sooner. Chosen
LONGEST_WORK_NS = 5_000_000  # ticks in one go; chosen: a sign of life comes often enough
COMMANDS, NEWEST_ROW = "commands", "newest row"  # what a packed moment has besides the state
WARM_UP_TICKS = 20  # chosen: from then on a tick takes as long as any


class Moment(NamedTuple):
    """Everything to go on from between two ticks."""

    state: State
    commands: Floats
    row: Floats  # of the tick before

    def packed(self) -> bytes:
        """It as bytes."""
        return pack_arrays(
            {**dict(leaves(self.state)), COMMANDS: self.commands, NEWEST_ROW: self.row}
        )


class CellRunner:
    """A cell, and when its ticks run."""

    def __init__(self, cell: Cell, link: Link, clock: Clock) -> None:
        self.cell = cell
        self.timing = Timing()
        self.fault = ""  # what stopped the cell, and when
        self._clock = clock
        self._ring, self._queue, self._vitals = link.ring, link.commands, link.vitals
        self._recorded = link.recorded
        self._journal = link.journal
        self._start = self.moment()
        self._pace = Pace(self._period_ns, clock.monotonic, clock.sleep)
        newest = link.ring.newest()  # of a loop before this one: its counts and stamps go on
        self._stamps = Stamps(cell.step_s, clock.wall, int(newest.stamp[0]) if newest else 0)
        echo = int(newest.values[0, link.ring.echo_column]) if newest else 0
        self._handshake = Handshake(link.commands, link.orders, echo)
        self._pace.overruns, self._pace.slips = self._vitals["overruns"], self._vitals["slips"]
        self._worst_ns = self._vitals["worst_late_ns"]
        self._due = 0  # ticks to run at once
        self._late_ns = 0  # of the next tick
        self._changed: set[int] = set()  # commands, since the last tick

    @property
    def state(self) -> LoopState:
        if self.fault:
            return LoopState.FAULT
        return LoopState.PAUSED if self.timing.paused else LoopState.RUNNING

    @property
    def has_ticks_due(self) -> bool:
        """Whether there are ticks to run at once."""
        return self._due > 0

    @property
    def is_in_cycle(self) -> bool:
        """Whether a cycle that the controller has asked for is not over yet."""
        return self._handshake.is_in_cycle

    @property
    def _period_ns(self) -> float:
        return self.cell.step_s * 1e9 / self.timing.speed

    # ---------------------------------------------------------------- turn by turn

    def warm_up(self) -> None:
        """Touch everything that a tick needs, and leave no trace."""
        for _ in range(WARM_UP_TICKS):
            self.cell.run_into(self._ring.next_row())
        self._put_back(self._start)

    def begin(self, timing: Timing, timeline: bool) -> None:
        """Run the first tick, so that there is a row to read; then go on, or stand still."""
        has_timeline = len(self.cell.timeline.tick) > 0 or len(self.cell.compiled.moves) > 0
        self._vitals["timeline_on"] = has_timeline
        self.note(journal.BEGIN, has_timeline)
        if self._queue.clear() or not timeline:
            self._end_timeline()
        self._vitals.write_text("fault", "")
        self._tell(timing)
        self._begin_schedule(self.cell.tick)
        self._due = 1
        self.run()
        self._vitals["beat_ns"] = self._clock.monotonic()
        self._vitals["state"] = self.state

    def wait(self) -> None:
        """Sleep until a tick is due, or there may be something else to do; show signs of life."""
        if self.state is LoopState.RUNNING and not self.timing.is_stepped:
            self._wait_for_tick()
        else:
            has_more = self._due > 0 or self._is_asked
            self._clock.rest(REST_NS if has_more else LONGEST_REST_NS)
            self._vitals["beat_ns"] = self._clock.monotonic()

    def _wait_for_tick(self) -> None:
        pace, vitals = self._pace, self._vitals
        slips = pace.slips
        late_ns = pace.wait()
        vitals["beat_ns"] = pace.now_ns
        if late_ns is None:
            return
        self._due = 1
        self._late_ns = late_ns
        vitals["overruns"] = pace.overruns
        if late_ns > self._worst_ns:
            self._worst_ns = vitals["worst_late_ns"] = late_ns
        if pace.slips != slips:
            vitals["slips"] = pace.slips
            self._stamps.anchor(self.cell.tick, self.timing.speed)

    def latch(self) -> None:
        """Take the commands that the next tick may latch."""
        if not self.timing.is_stepped:
            self._latch(None)
            return
        # no deadline waits: take all there is, so that it does not matter when it came
        if not self._due and self._is_asked:
            self._handshake.begin()
            self._due = self.timing.cycle_ticks
        is_handshake = self.timing.mode is TimeMode.HANDSHAKE
        waiting = 0
        while waiting != self._queue.waiting:
            waiting = self._queue.waiting
            self._latch(self._handshake.until if is_handshake else None)

    def _latch(self, until: int | None) -> None:
        if self._queue.latch(self.cell.commands.values, self._changed, until):
            self._end_timeline()

    @property
    def _is_asked(self) -> bool:
        """Whether the controller asks for a cycle that may begin."""
        is_handshake = self.timing.mode is TimeMode.HANDSHAKE
        return is_handshake and self._handshake.asks() and self.state is LoopState.RUNNING

    def run(self) -> None:
        """Run the ticks that are due; of many, as many as fit between two signs of life."""
        if not self._due or not self.has_room:
            return
        self._tick()
        if self._due:
            end_ns = self._clock.monotonic() + LONGEST_WORK_NS
            while self._due and self.has_room and self._clock.monotonic() < end_ns:
                self.latch()
                self._tick()

    @property
    def has_room(self) -> bool:
        """Whether no row is lost to the recorder; in free run nobody is waited for."""
        return not self.timing.is_stepped or self._ring.has_room_for(int(self._recorded[0]))

    def _tick(self) -> None:
        cell = self.cell
        tick = cell.tick
        cell.run_into(self._ring.next_row())
        self._vitals["unsettled"], self._vitals["left_out"] = cell.contact_counts
        fault = cell.fault
        if self._due == 1 and self.is_in_cycle and not fault:
            self._handshake.end()
        self._append(tick, self._late_ns)
        self._changed.clear()
        self._due -= 1
        self._late_ns = 0
        if fault:
            self._stop(fault)

    def _append(self, tick: int, late_ns: int) -> None:
        time_s, stamp = time_of(tick, self.cell.step_s), self._stamps.of(tick)
        self._ring.append(tick, time_s, stamp, late_ns, self._handshake.echo)

    def _stop(self, fault: Fault) -> None:
        self._due = 0
        self._handshake.forget()
        at = f"at tick {fault.tick} (t = {time_of(fault.tick, self.cell.step_s):g} s)"
        self.fault = f"{fault.object}: {fault.text} {at}"
        self._vitals.write_text("fault", self.fault)
        self._vitals["faults"] += 1
        self._vitals["state"] = self.state
        last = self._ring.written - 1
        self._journal.write(last, fault.tick, journal.FAULT, payload=self.fault.encode())

    def _end_timeline(self) -> None:
        self.cell.ignore_timeline()
        if self._vitals["timeline_on"]:
            self._vitals["timeline_on"] = 0
            self.note(journal.TIMELINE_OFF)

    def note(self, kind: str, argument: float = 0.0, payload: bytes = b"") -> None:
        """Write into the journal what has an effect from the next row on."""
        self._journal.write(self._ring.written, self.cell.tick, kind, argument, payload)

    def mark(self) -> int:
        """Note where the cell stands, so that a recording can begin here; the next row's number."""
        self.note(journal.STATE, self._vitals["timeline_on"], self.moment().packed())
        return self._ring.written

    # ---------------------------------------------------------------- what can be ordered

    def pause(self) -> None:
        """Stand still after the last tick."""
        self._change(self.timing._replace(paused=True))

    def resume(self) -> None:
        """Go on; in free run with a tick at once."""
        self._change(self.timing._replace(paused=False))

    def set_mode(self, mode: TimeMode, cycle_ticks: int) -> None:
        """Let somebody else move simulated time; a cycle that waits for Resume is forgotten."""
        if mode is not TimeMode.HANDSHAKE:
            self._handshake.forget()
        self._change(self.timing._replace(mode=mode, cycle_ticks=cycle_ticks))

    def step(self, ticks: int) -> None:
        """Run some ticks at once; only while paused or in lock step."""
        self._due = ticks

    def set_speed(self, speed: float) -> None:
        """Let simulated time go so many times as fast as the clock."""
        self._tell(self.timing._replace(speed=speed))
        if not self.timing.is_stepped:
            self._begin_schedule(self.cell.tick)

    def _change(self, timing: Timing) -> None:
        was_stepped = self.timing.is_stepped
        self._tell(timing)
        if timing.is_stepped and not was_stepped:
            self._due = 0
            self._stamps.follow(self.cell.tick)
        elif was_stepped and not timing.is_stepped:
            self._begin_schedule(self.cell.tick)
            self._due = 1

    def _tell(self, timing: Timing) -> None:
        """Write how time goes where the other processes see it."""
        self.timing, vitals = timing, self._vitals
        vitals.speed = timing.speed
        vitals["mode"], vitals["cycle_ticks"] = timing.mode, timing.cycle_ticks
        if vitals.state is not LoopState.DOWN:  # else its first row comes first
            vitals["state"] = self.state

    def moment(self) -> Moment:
        """A copy of where the cell stands."""
        cell = self.cell
        return Moment(cell.snapshot(), cell.commands.values.copy(), cell.row.copy())

    def reset(self) -> None:
        """Go back to the start and run its tick at once, so that readers see the start."""
        self.note(journal.RESET)
        self._go_back(self._start)
        self._begin_schedule(self.cell.tick)
        self._due = 1

    def restore(self, moment: Moment) -> None:
        """Go back to a moment; if the cell is stepped, show the row that was the newest then."""
        self.note(journal.RESTORE, self.timing.is_stepped, moment.packed())
        self._go_back(moment)
        if not self.timing.is_stepped:
            self._begin_schedule(self.cell.tick)
            self._due = 1
            return
        tick = self.cell.tick - 1
        self._begin_schedule(tick)
        self._ring.next_row()[0] = self.cell.row[:] = moment.row
        self._append(tick, 0)

    def _go_back(self, moment: Moment) -> None:
        """Put a moment back; what was commanded before is forgotten, a fault as well."""
        self._put_back(moment)
        if self._queue.clear():
            self._end_timeline()
        self._vitals["resets"] += 1  # whoever sees it may command again
        self._handshake.forget()
        self._changed.clear()
        self.fault = ""
        self._vitals.write_text("fault", "")
        self._vitals["state"] = self.state

    def _put_back(self, moment: Moment) -> None:
        self.cell.restore(moment.state)
        self.cell.commands.values[:] = moment.commands

    def _begin_schedule(self, tick: int) -> None:
        """Let this tick be on time, and later ones follow it."""
        self._late_ns = 0
        self._pace.restart(self._period_ns)
        self._stamps.anchor(tick, 1.0 if self.timing.is_stepped else self.timing.speed)
