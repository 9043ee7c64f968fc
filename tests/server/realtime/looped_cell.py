"""A cell in its loop, turn by turn, on a made-up clock."""

from tests.server.realtime.made_up_clock import MadeUpClock
from twincell.server.realtime.loop import Loop
from twincell.server.realtime.shared.command_queue import CYCLE
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.order_box import Answer, Kind
from twincell.server.realtime.time_mode import TimeMode, Timing
from twincell.sim.cell import Cell

CYCLE_TICKS = 4  # of a handshake
MOST_TURNS = 1000  # for an answer; chosen


class LoopedCell:
    def __init__(self, cell: Cell, link: Link | None = None, speed: float = 1.0) -> None:
        self.cell = cell
        self.clock = MadeUpClock()
        self.link = link or Link(len(cell.signals))
        self.loop = Loop(cell, self.link, self.clock.clock)
        self._speed = speed
        self.loop.warm_up()

    def begin(
        self,
        paused: bool = False,
        timeline: bool = True,
        mode: TimeMode = TimeMode.FREE_RUN,
        cycle_ticks: int = 10,
    ) -> "LoopedCell":
        self.loop.begin(Timing(self._speed, paused, mode, cycle_ticks), timeline)
        return self

    def turn(self, count: int = 1) -> None:
        for _ in range(count):
            self.loop.turn()

    def order(self, kind: Kind, argument: float = 0.0, payload: bytes = b"") -> Answer:
        """Give an order, and turn until it is answered."""
        number = self.link.orders.post(kind, argument, payload)
        assert number is not None
        for _ in range(MOST_TURNS):
            self.turn()
            answer = self.link.orders.answer_to(number)
            if answer:
                return answer
        raise AssertionError(f"no answer to {kind.name}")

    def mode(self, mode: TimeMode, cycle_ticks: int = CYCLE_TICKS) -> Answer:
        """Let somebody else move simulated time."""
        return self.order(Kind.MODE, float(mode), str(cycle_ticks).encode())

    def write(self, **commands: float) -> None:
        """One batch of commands; `Flange_Closed` stands for `Flange.Closed`."""
        assert self.link.commands.put(self._batch(commands))

    def _batch(self, commands: dict[str, float]) -> list[tuple[int, float]]:
        return [
            (self.cell.signals[name.replace("_", ".")].column, float(value))
            for name, value in commands.items()
        ]

    def ask(self, counter: int, **commands: float) -> None:
        """One batch of commands with the controller's cycle counter."""
        assert self.link.commands.put([*self._batch(commands), (CYCLE, float(counter))])

    @property
    def rows(self):
        """All rows so far, signals only."""
        return self.link.ring.read(0, self.link.ring.written).values[:, : self.link.ring.n_signal]

    @property
    def ticks(self) -> list[int]:
        """The ticks of all rows so far."""
        ring = self.link.ring
        return ring.read(0, ring.written).values[:, ring.tick_column].astype(int).tolist()

    @property
    def echoes(self) -> list[int]:
        """The echoes of all rows so far."""
        ring = self.link.ring
        return ring.read(0, ring.written).values[:, ring.echo_column].astype(int).tolist()

    @property
    def stamps(self) -> list[int]:
        return self.link.ring.read(0, self.link.ring.written).stamp.tolist()

    def column(self, name: str) -> list[float]:
        return self.rows[:, self.cell.signals[name].column].tolist()
