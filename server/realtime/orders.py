"""Orders from outside are carried out between two ticks, one a turn, in the order they came.

An order is answered after the ticks that belong to it, so that whoever reads its answer finds the
rows of these ticks already there.
"""

import math
import pickle

from twincell.server.realtime.cell_runner import CellRunner, Moment
from twincell.server.realtime.limits import FASTEST, MOST_STEPS, SLOWEST
from twincell.server.realtime.shared import journal
from twincell.server.realtime.shared.array_bytes import pack_arrays
from twincell.server.realtime.shared.order_box import Answer, Kind, Order, OrderBox, Result
from twincell.server.realtime.time_mode import TimeMode
from twincell.sim.motion.robot_orders import STOP
from twincell.sim.plan import Plan, Refused
from twincell.sim.plan.begin import begin_move

MOST_SNAPSHOTS = 32  # chosen: a large cell's take 100 kB each

# for people: they decide no row. Steps are not among them, as there may be thousands a second
NOTED = {Kind.PAUSE, Kind.RESUME, Kind.SPEED, Kind.SNAPSHOT, Kind.MODE}

RESTARTED = "the loop was restarted"
DONE = Answer(Result.DONE, 0.0, "")


class OrderDesk:
    """Takes orders out of the box, has them carried out, and answers them."""

    def __init__(self, cell_runner: CellRunner, box: OrderBox) -> None:
        self._cell_runner = cell_runner
        self._box = box
        self._snapshots: dict[float, Moment] = {}  # by number, the oldest first
        self._taken = 0  # snapshots so far
        self._order: Order | None = None  # the one at hand
        self._answer: Answer | None = None  # to it, once it was carried out or begun
        self._ways = {
            Kind.PAUSE: self._pause,
            Kind.RESUME: self._resume,
            Kind.RESET: self._reset,
            Kind.STEP: self._step,
            Kind.SPEED: self._speed,
            Kind.SNAPSHOT: self._snapshot,
            Kind.RESTORE: self._restore,
            Kind.MOVE: self._move,
            Kind.MODE: self._mode,
            Kind.RECORD: self._record,
        }

    def refuse_all(self) -> None:
        """Refuse what was ordered from a loop before this one."""
        while self._box.next() is not None:
            self._box.answer(*_refused(RESTARTED))

    def take(self) -> None:
        """Carry out the next order, or begin to."""
        if self._answer is not None:
            return
        self._order = self._box.next()  # one that had to wait may have been withdrawn meanwhile
        if self._order is None:
            return
        # what was written before the order was given counts for it already
        self._cell_runner.latch()
        # a cycle is not torn apart, and no row is lost to the recorder
        shows_row = self._order.kind is Kind.RESTORE
        if self._cell_runner.is_in_cycle or (shows_row and not self._cell_runner.has_room):
            return
        self._answer = self._ways[self._order.kind](self._order)
        self._note(self._order, self._answer)

    def _note(self, order: Order, answer: Answer) -> None:
        """Note what was ordered; what decides rows is noted where more is known about it."""
        if answer.result is Result.DONE and order.kind in NOTED:
            name = order.kind.name.lower()
            self._cell_runner.note(
                name, answer.value if order.kind is Kind.SNAPSHOT else order.argument
            )

    def answer(self) -> None:
        """Answer the order at hand, once its ticks have run."""
        order, answer = self._order, self._answer
        if order is None or answer is None or self._cell_runner.has_ticks_due:
            return
        if order.kind is Kind.STEP and answer.result is Result.DONE:
            answer = self._stepped()
        self._box.answer(*answer)
        self._order = self._answer = None

    def _pause(self, _order: Order) -> Answer:
        if self._cell_runner.fault:
            return _refused(self._cell_runner.fault)
        self._cell_runner.pause()
        return DONE

    def _resume(self, _order: Order) -> Answer:
        if self._cell_runner.fault:
            return _refused(self._cell_runner.fault)
        self._cell_runner.resume()
        return DONE

    def _reset(self, _order: Order) -> Answer:
        self._cell_runner.reset()
        return DONE

    def _step(self, order: Order) -> Answer:
        if self._cell_runner.fault:
            return _refused(self._cell_runner.fault)
        timing = self._cell_runner.timing
        if timing.mode is TimeMode.HANDSHAKE and not timing.paused:
            return _refused("the controller's cycle counter moves the cell: pause it first")
        if not timing.is_stepped:
            return _refused("the cell is running: pause it first")
        ticks = order.argument
        if not (1 <= ticks <= MOST_STEPS and ticks == int(ticks)):
            return _refused(f"a whole number of ticks from 1 to {MOST_STEPS}, not {ticks:g}")
        self._cell_runner.step(int(ticks))
        return DONE

    def _stepped(self) -> Answer:
        if self._cell_runner.fault:
            return _refused(self._cell_runner.fault)
        return Answer(Result.DONE, float(self._cell_runner.cell.tick), "")

    def _speed(self, order: Order) -> Answer:
        speed = order.argument
        if not (math.isfinite(speed) and SLOWEST <= speed <= FASTEST):
            return _refused(f"a speed from {SLOWEST:g} to {FASTEST:g}, not {speed:g}")
        self._cell_runner.set_speed(speed)
        return DONE

    def _mode(self, order: Order) -> Answer:
        if self._cell_runner.fault:
            return _refused(self._cell_runner.fault)
        cycle_ticks = int(order.payload) or self._cell_runner.timing.cycle_ticks
        self._cell_runner.set_mode(TimeMode(int(order.argument)), cycle_ticks)
        return DONE

    def _snapshot(self, _order: Order) -> Answer:
        if self._cell_runner.fault:
            return _refused(self._cell_runner.fault)
        if len(self._snapshots) == MOST_SNAPSHOTS:
            del self._snapshots[next(iter(self._snapshots))]
        self._taken += 1
        number = float(self._taken)
        self._snapshots[number] = self._cell_runner.moment()
        return Answer(Result.DONE, number, "")

    def _restore(self, order: Order) -> Answer:
        moment = self._snapshots.get(order.argument)
        if moment is None:
            return Answer(Result.UNKNOWN, 0.0, f"there is no snapshot {order.argument:g}")
        self._cell_runner.restore(moment)
        return DONE

    def _move(self, order: Order) -> Answer:
        """Begin a planned move with the next tick, unless the robot is not ready for it."""
        cell = self._cell_runner.cell
        names = list(cell.spec.robot)
        if order.argument not in range(len(names)):
            return Answer(Result.UNKNOWN, 0.0, f"there is no robot {order.argument:g}")
        robot = int(order.argument)
        if self._cell_runner.fault:
            return _refused(self._cell_runner.fault)
        if cell.robot(names[robot]).is_moving:
            return _refused(f"{names[robot]} is moving: wait until it is at rest, or stop it")
        if cell.commands.values[cell.model.robots.command[robot] + STOP] > 0.5:
            return _refused(f"{names[robot]}.Stop is set: clear it first")
        try:
            plan: Plan = pickle.loads(order.payload)
            begin_move(cell.model, cell.state, robot, plan)
        except Refused as refusal:
            return _refused(str(refusal))
        self._cell_runner.note(journal.MOVE, robot, pack_arrays(plan._asdict()))
        return DONE

    def _record(self, _order: Order) -> Answer:
        return Answer(Result.DONE, float(self._cell_runner.mark()), "")


def _refused(text: str) -> Answer:
    return Answer(Result.REFUSED, 0.0, text)
