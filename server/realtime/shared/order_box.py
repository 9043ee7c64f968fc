"""Orders to the loop and its answers: pause, step, reset, speed, time mode, restore, move.

Orders are carried out between two ticks, in the order in which they came. One side posts (the OPC
UA process), the other answers (the loop); a slot is used again once it was answered. Each side
rings when it has done so: a loop that stands still, and whoever waits for an answer, wake up.
An order knows which commands were written before it.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from twincell.server.realtime.shared.command_queue import CommandQueue
from twincell.server.realtime.shared.ring import Ints
from twincell.server.realtime.shared.wake_signal import WakeSignal

SLOTS = 64  # orders on their way at a time; chosen
PAYLOAD = 262_144  # bytes: a planned move of the most pieces fits
TEXT = 512  # bytes of an answer's text


class Kind(IntEnum):
    """What is ordered."""

    PAUSE = 1
    RESUME = 2
    RESET = 3
    STEP = 4  # argument: how many ticks; answer: the tick then
    SPEED = 5  # argument: factor
    SNAPSHOT = 6  # answer: its number
    RESTORE = 7  # argument: number of a snapshot
    MOVE = 8  # argument: robot; payload: a pickled plan
    MODE = 9  # argument: TimeMode; payload: ticks of a cycle or 0, as text
    RECORD = 10  # note the state, for a recording; answer: number of the first row after it


class Result(IntEnum):
    """How an order ended."""

    DONE = 0
    REFUSED = 1  # not now: the text says why
    UNKNOWN = 2  # there is no such snapshot or robot


class Order(NamedTuple):
    """An order as the loop sees it."""

    number: int
    kind: Kind
    argument: float
    payload: bytes


class Place(NamedTuple):
    """Where an order stands among the commands."""

    number: int  # of the order
    entry: int  # of the queue: what lies before it was written before the order


class Answer(NamedTuple):
    """What became of an order."""

    result: Result
    value: float
    text: str


ORDER = np.dtype(
    [
        ("withdrawn", "i8"),
        ("entry", "i8"),
        ("kind", "i8"),
        ("argument", "f8"),
        ("length", "i8"),
        ("payload", "u1", (PAYLOAD,)),
        ("result", "i8"),
        ("value", "f8"),
        ("text", f"S{TEXT}"),
    ]
)


class OrderArrays(NamedTuple):
    """The memory of the box. Orders are counted from the start, and lie at number mod slots."""

    slots: npt.NDArray[np.void]  # of dtype ORDER                   (SLOTS,)
    posted: Ints  # (1,)
    answered: Ints  # (1,)


class OrderBox:
    """Orders first in first out, each with an answer."""

    def __init__(
        self, arrays: OrderArrays, commands: CommandQueue, posted: WakeSignal, answered: WakeSignal
    ) -> None:
        self._arrays = arrays
        self._commands = commands
        self._posted = posted  # rings when an order was posted
        self.answered = answered  # rings when one was answered

    def post(self, kind: Kind, argument: float = 0.0, payload: bytes = b"") -> int | None:
        """Post an order and return its number; None when the box is full."""
        number = int(self._arrays.posted[0])
        if number - int(self._arrays.answered[0]) >= SLOTS or len(payload) > PAYLOAD:
            return None
        slot = self._arrays.slots[number % SLOTS]
        slot["withdrawn"], slot["entry"] = 0, self._commands.end
        slot["kind"], slot["argument"], slot["length"] = kind, argument, len(payload)
        slot["payload"][: len(payload)] = np.frombuffer(payload, dtype=np.uint8)
        self._arrays.posted[0] = number + 1
        self._posted.ring()
        return number

    def answer_to(self, number: int) -> Answer | None:
        """The answer to an order, once there is one; ask before 64 others were posted."""
        if number >= int(self._arrays.answered[0]):
            return None
        slot = self._arrays.slots[number % SLOTS]
        text = bytes(slot["text"]).decode("utf-8", "replace")
        return Answer(Result(int(slot["result"])), float(slot["value"]), text)

    def withdraw(self, number: int) -> None:
        """Let an order that has no answer yet not be carried out."""
        self._arrays.slots[number % SLOTS]["withdrawn"] = 1

    def next(self) -> Order | None:
        """The oldest order without an answer."""
        while True:
            number = int(self._arrays.answered[0])
            if number == int(self._arrays.posted[0]):
                return None
            slot = self._arrays.slots[number % SLOTS]
            if not slot["withdrawn"]:
                break
            self.answer(Result.REFUSED, text="nobody waits for it any more")
        payload = slot["payload"][: int(slot["length"])].tobytes()
        return Order(number, Kind(int(slot["kind"])), float(slot["argument"]), payload)

    @property
    def place(self) -> Place | None:
        """Where the oldest order without an answer stands; None when there is none."""
        number = int(self._arrays.answered[0])
        if number == int(self._arrays.posted[0]):
            return None
        return Place(number, int(self._arrays.slots[number % SLOTS]["entry"]))

    def answer(self, result: Result, value: float = 0.0, text: str = "") -> None:
        """Answer the order that `next` gave."""
        number = int(self._arrays.answered[0])
        slot = self._arrays.slots[number % SLOTS]
        slot["result"], slot["value"] = result, value
        slot["text"] = text.encode("utf-8")[:TEXT]
        self._arrays.answered[0] = number + 1
        self.answered.ring()
