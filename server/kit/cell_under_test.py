"""A cell as a test sees it: set commands, let time pass, wait, look at every tick afterwards.

    cell["Robot1Flange.Closed"] = True
    cell.wait_until("Tool1.Partner", "Robot1Flange", within_s=0.5)
    assert cell.trace("Tool1.Force.Z").numbers.max() < 100.0

Commands take effect with the next tick. In lock step the cell stands still until it is told to
advance; in real time it goes on by itself. Times are simulated times; the wall clock is only used
to notice that nothing happens any more.
"""

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from asyncua import ua

from twincell.server.client.login import Login
from twincell.server.client.mistake import Mistake
from twincell.server.client.robot_calls import calls_of
from twincell.server.kit.catalogue import CLEAR_FAULTS, INJECT_FAULT
from twincell.server.kit.conditions import Condition, conditions_of
from twincell.server.kit.connection import Connection
from twincell.server.kit.golden import Goldens, Tolerance
from twincell.server.kit.running import Time
from twincell.server.kit.samples import CellIsDown, SamplesLost
from twincell.server.kit.traces import Trace, Value
from twincell.server.kit.waiting import Met, all_hold, not_in_time, not_kept
from twincell.server.realtime.limits import MOST_STEPS
from twincell.sim.spec.robot import MoveJoint, MoveLinear, MoveVia

FIRST_LOOK_S, LAST_LOOK_S = 0.01, 0.1  # simulated; chosen: a PLC's cycle; few enough questions
FETCH_EVERY_S = 0.02  # in real time
STILL_S = 1.0  # wall clock; chosen: then a cell in real time is asked why it does not go on
WORDS_S = 0.3  # wall clock; how long to wait for the reason of a refusal; chosen
HANG_S = 30.0  # wall clock; chosen: a cell whose time stands still for so long hangs


class CellStopped(Exception):
    """The cell has stopped itself; the text is its fault."""


LOST = (OSError, SamplesLost, CellIsDown, CellStopped, ua.UaError)  # a cell that does not go on


class CellUnderTest:
    """A running cell, driven by a test or by somebody else."""

    def __init__(self, url: str, mode: Time, login: Login | None = None) -> None:
        self.mode = mode
        every = {Time.REALTIME: {"fetch_every_s": FETCH_EVERY_S}}.get(mode, {})
        self.connection = Connection(url, login, **every)
        self._traces = self.connection.watching.traces
        self.looked_at: dict[
            str, None
        ] = {}  # signals of interest, for what a failure leaves behind
        self.goldens: Goldens | None = None  # where golden traces are
        self.said: Callable[[], str] = lambda: ""  # what the cell's process has to say
        self.recordings: Path | None = None  # folder that it records into, if it is our own
        self.fingerprint = ""  # SHA-256 of its file, if it is our own
        self._looks_from = 0  # tick: older ones are from before our last command
        self._start: dict[str, Value] = {}  # commands and fault levers
        if self.tick == 0:  # the second tick tells how long one is
            self.advance_ticks(1)
        self.step_s = round(self.time_s / self.tick, 12)  # simulated time of one tick
        self.begin_traces()

    def close(self) -> None:
        """End the connection."""
        self.connection.close()

    # ---------------------------------------------------------------- values

    def __getitem__(self, signal: str) -> Any:
        """Value of a signal now."""
        return self.read(signal)[0]

    def __setitem__(self, command: str, value: Value) -> None:
        """Set a command: the next tick latches it."""
        self.set({command: value})

    def set(self, values: Mapping[str, Value]) -> None:
        """Set commands together: the same tick latches all of them."""
        self.connection.write(values)
        self._look_at(values)
        self._note_command()

    def read(self, *signals: str) -> list[Any]:
        """Values of signals, all of the same tick."""
        values = self.connection.read(signals)
        self._look_at(signals)
        return values

    def _look_at(self, signals: Iterable[str]) -> None:
        catalogue = self.connection.catalogue
        self.looked_at |= {name: None for name in signals if name in catalogue}

    @property
    def signals(self) -> list[str]:
        """Names of all signals that can be traced."""
        return list(self.connection.catalogue)

    # ---------------------------------------------------------------- orders

    def call(self, method: str, *arguments: Any) -> list[Any]:
        """Call a method by its name, such as Simulation.Snapshot; what it gives back."""
        given = self._call(method, *arguments)
        self._note_command()
        return given

    def _call(self, method: str, *arguments: Any) -> list[Any]:
        """Call a method; a refusal has no words in OPC UA, but the cell's process has some."""
        self.said()
        try:
            return self.connection.call(method, *arguments)
        except Mistake as refused:
            until_s, why = time.monotonic() + WORDS_S, ""
            while not why and time.monotonic() < until_s:
                time.sleep(WORDS_S / 20)
                why = self.said()
            raise Mistake(f"{refused}\n  {why}" if why else str(refused), refused.hint) from None

    def move_joint(self, robot: str, **move: Any) -> None:
        """Move all joints together: joints_deg, joints_m or position_m, orientation_deg; speed."""
        self.move(_Moves(move_joint={robot: MoveJoint.model_validate(move)}))

    def move_linear(self, robot: str, **move: Any) -> None:
        """Move on a straight line: position_m, orientation_deg, speed_m_s, speed_deg_s."""
        self.move(_Moves(move_linear={robot: MoveLinear.model_validate(move)}))

    def move_via(self, robot: str, **move: Any) -> None:
        """Move past points without a stop: points, speed_m_s, speed_deg_s."""
        self.move(_Moves(move_via={robot: MoveVia.model_validate(move)}))

    def move(self, moves: Any) -> None:
        """Begin the moves of a timeline's entry or a scenario's step."""
        robots = [*moves.move_joint, *moves.move_linear, *moves.move_via]
        for one in calls_of(moves, {robot: self._angular(robot) for robot in robots}):
            self._call(f"{one.robot}.{one.method}", *one.arguments)
        self._note_command()

    def _angular(self, robot: str) -> list[bool]:
        """Which axes of a robot have angles for positions."""
        catalogue = self.connection.catalogue
        if robot not in catalogue.robots:
            known = ", ".join(catalogue.robots) or "the cell has none"
            raise Mistake(f"there is no robot {robot}", f"robots: {known}")
        start = f"{robot}.JointPosition."
        return [catalogue[name].unit == "rad" for name in catalogue if name.startswith(start)]

    def fault(self, lever: str, value: Value = True) -> None:
        """Inject a fault by its lever, such as Changer1.Fault.AirLoss."""
        self._call(INJECT_FAULT, lever, value)
        self._note_command()

    def clear_faults(self) -> None:
        """Take all faults away."""
        self.connection.call(CLEAR_FAULTS)
        self._note_command()

    def reset(self) -> None:
        """Back to the start, commands and faults included; the traces begin anew."""
        if not self._start:
            self._end_timeline()
        if CLEAR_FAULTS in self.connection.catalogue.methods:
            with suppress(Mistake):  # a cell that has stopped itself has no faults but its own
                self.connection.call(CLEAR_FAULTS)
        if self.tick == 0:  # a reset from there would be no change that anybody is told of
            self.advance_ticks(1)
        stamp = self._traces.newest_stamp
        self.connection.call("Simulation.Reset")
        # in real time, ticks of before go on arriving for a while
        until_s = time.monotonic() + HANG_S
        while not (start := self._traces.start_after(stamp)):
            if time.monotonic() > until_s:
                raise ConnectionError("the cell was reset, but does not tell of its start")
            self.connection.ask(self.connection.watching.fetch())
            self.connection.check_alive()
        self._traces.forget_all_before(start)
        self._looks_from = 0
        self._check_start()

    def _check_start(self) -> None:
        """Commands and fault levers are what they were at the first start."""
        catalogue = self.connection.catalogue
        latched = [*catalogue.commands, *catalogue.levers]
        now = dict(zip(latched, self.connection.read(latched), strict=True))
        self._start = self._start or now
        left = [name for name, value in now.items() if value != self._start[name]]
        if left and self.mode is Time.LOCKSTEP:
            raise RuntimeError(f"Simulation.Reset has left as they were: {', '.join(left)}")

    def begin_traces(self) -> None:
        """Forget what was before the newest tick."""
        self._traces.forget_all_before(self._traces.newest_stamp)

    def _end_timeline(self) -> None:
        """The first command from outside ends the cell file's timeline for good."""
        commands = self.connection.catalogue.commands[:1]
        self.connection.write(dict(zip(commands, self.connection.read(commands), strict=True)))

    def _note_command(self) -> None:
        """What is in the traces up to now does not know about a command that was just given."""
        self._looks_from = int(self.connection.read(["Simulation.Tick"])[0]) + 1

    # ---------------------------------------------------------------- time

    @property
    def tick(self) -> int:
        """Number of the newest tick."""
        return self._traces.newest_tick

    @property
    def time_s(self) -> float:
        """Simulated time of the newest tick."""
        return self._traces.newest_time_s

    def advance(self, seconds: float) -> None:
        """Let simulated time pass; every tick of it is in the traces then."""
        self.advance_ticks(self._ticks(seconds))

    def advance_ticks(self, ticks: int) -> None:
        """Let a number of ticks pass."""
        end = self.tick + ticks
        if self.mode is Time.REALTIME:
            self._wait_for_tick(end)
            return
        longest = min(MOST_STEPS, self.connection.watching.most_ticks)
        while self.tick < end:
            count = min(end - self.tick, longest)
            try:
                (following,) = self.connection.call("Simulation.Step", count)
            except Mistake as refused:
                self._raise_if_stopped()
                raise ConnectionError(str(refused)) from None
            self.connection.ask(self.connection.watching.fetch_to(following - 1))

    def _wait_for_tick(self, end: int) -> None:
        """In real time: until the cell has come so far by itself."""
        newest, since_s = self.tick, time.monotonic()
        while self.tick < end:
            time.sleep(FETCH_EVERY_S / 2)
            self.connection.check_alive()
            if self.tick < newest:
                raise ConnectionError("the time of the cell went back: somebody has reset it")
            if self.tick != newest:
                newest, since_s = self.tick, time.monotonic()
            elif time.monotonic() - since_s > STILL_S:
                self._raise_if_stopped()
                if time.monotonic() - since_s > HANG_S:
                    (state,) = self.connection.read(["Simulation.State"])
                    raise ConnectionError(f"time stands still: the cell is {state}")

    def _raise_if_stopped(self) -> None:
        (fault,) = self.connection.read(["Simulation.Fault"])
        if fault:
            raise CellStopped(f"the cell has stopped itself: {fault}")

    def _ticks(self, seconds: float) -> int:
        if not 0.0 <= seconds < math.inf:
            raise ValueError(f"{seconds} s: time goes forward, for a while")
        return round(seconds / self.step_s)

    # ---------------------------------------------------------------- conditions

    def wait_until(
        self,
        wanted: str | Mapping[str, Any],
        value: Any = None,
        *,
        within_s: float,
        look_s: float | None = None,
        **bounds: Any,
    ) -> float:
        """Wait until a signal is as wanted; how long that took. Raises NotInTime.

        `wanted` is a signal with a value, a function of its value, `above=`, `below=` or
        `between=(low, high)`; or a table of signals, all of which are to be as wanted in one tick.
        No tick is missed, but in lock step the cell stands still only at the next look after it:
        every `look_s`, or left out, after 10 ms and then seldomer, up to every 0.1 s.
        """
        begun_s = self.time_s
        met = self.wait_for(conditions_of(wanted, value, **bounds), within_s, look_s)
        return met.at_s - begun_s

    def wait_for(
        self,
        conditions: Sequence[Condition],
        within_s: float,
        look_s: float | None = None,
        look_at: int = 0,
    ) -> Met:
        """Wait for conditions; the tick in which all of them hold for the first time.

        One of the looks is at the tick `look_at`, for which something else may be planned.
        """
        begun, begun_s = self.tick, self.time_s
        first, end = max(begun, self._looks_from), begun + self._ticks(within_s)
        names = [one.signal for one in conditions]
        self._look_at(names)
        stride = self._ticks(look_s or FIRST_LOOK_S) or 1
        while True:
            traces = self._traces.traces(names)
            after = int(np.searchsorted(traces[0].tick, first))
            places = np.flatnonzero(all_hold(conditions, [one.part(after) for one in traces]))
            if len(places) and traces[0].tick[after + places[0]] <= max(end, first):
                place = after + int(places[0])
                return Met(int(traces[0].tick[place]), float(traces[0].time_s[place]))
            if self.tick >= max(end, first):
                raise not_in_time(conditions, traces, begun_s, within_s)
            ends = [self.tick + stride, max(end, first)]
            self.advance_ticks(min(ends + [look_at] * (look_at > self.tick)) - self.tick)
            if look_s is None:
                stride = min(2 * stride, self._ticks(LAST_LOOK_S) or 1)

    def stays(
        self, wanted: str | Mapping[str, Any], value: Any = None, *, for_s: float, **bounds: Any
    ) -> None:
        """Let time pass, in every tick of which a signal is as wanted. Raises NotKept."""
        conditions = conditions_of(wanted, value, **bounds)
        first, end = max(self.tick, self._looks_from), self.tick + self._ticks(for_s)
        self.stay(conditions, first, max(end, first))

    def stay(self, conditions: Sequence[Condition], first: int, end: int) -> None:
        """From one tick to another, which may lie ahead, conditions hold; raises NotKept."""
        names = [one.signal for one in conditions]
        self._look_at(names)
        while True:
            traces = self._traces.traces(names)
            from_, to = np.searchsorted(traces[0].tick, [first, end + 1])
            parts = [one.part(int(from_), int(to)) for one in traces]
            broken = np.flatnonzero(~all_hold(conditions, parts))
            if len(broken):
                raise not_kept(conditions, parts, int(broken[0]))
            if self.tick >= end:
                return
            self.advance_ticks(min(self._ticks(LAST_LOOK_S) or 1, end - self.tick))

    # ---------------------------------------------------------------- traces

    def trace(self, signal: str) -> Trace:
        """A signal in every tick since the test began, or since the last reset."""
        return self.traces([signal])[0]

    def traces(self, signals: Iterable[str]) -> list[Trace]:
        """Some signals in every tick, all of the same ticks."""
        names = list(signals)
        self._look_at(names)
        return self._traces.traces(names)

    def check_golden(
        self,
        name: str,
        signals: Sequence[str],
        *,
        abs: float = 0.0,
        rel: float = 0.0,
        shift_s: float = 0.0,
    ) -> None:
        """Compare signals with the golden trace of that name; raises GoldenDiffers.

        Numbers may be off by `abs` plus `rel` of the greatest value of the golden trace, and
        everything may happen `shift_s` earlier or later.
        """
        if self.goldens is None:
            raise RuntimeError("golden traces belong to tests: this cell does not know where from")
        self.goldens.check(name, self.traces(signals), Tolerance(abs, rel, shift_s))


class _Moves:
    """Moves that begin together."""

    def __init__(
        self,
        move_joint: Mapping[str, MoveJoint] | None = None,
        move_linear: Mapping[str, MoveLinear] | None = None,
        move_via: Mapping[str, MoveVia] | None = None,
    ) -> None:
        self.move_joint = move_joint or {}
        self.move_linear = move_linear or {}
        self.move_via = move_via or {}
