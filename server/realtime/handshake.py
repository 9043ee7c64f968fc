"""The controller moves the cell: each new value of its cycle counter is one cycle of ticks.

    controller   writes commands and counter 8 in one request
    cell         latches them, runs the ticks of one cycle, echoes 8 in the last row
    controller   sees echo 8, reads the feedback of that row, thinks, writes commands and counter 9

The counter travels in the queue with the commands of its request. What was written before it or
with it counts from the first tick of its cycle, and what was written after it waits until the
cycle is over: so it does not matter how fast anybody is. The same value again asks for nothing:
a controller that did not hear of its success may write it once more.

An order takes its place among the counters: a cycle whose counter was written before the order goes
first, one whose counter came later waits for the answer. Of many counters that wait only one goes
first, so that nobody who floods the cell with counters keeps an operator from pausing it.
"""

from twincell.server.realtime.shared.command_queue import CommandQueue, Cycle
from twincell.server.realtime.shared.order_box import OrderBox

NOBODY = -1


class Handshake:
    """Which cycle the controller asks for, and which one it was given last."""

    def __init__(self, queue: CommandQueue, orders: OrderBox, echo: int) -> None:
        self._queue = queue
        self._orders = orders
        self._held = NOBODY  # number of the order that was there when the last cycle ended
        self._asked: Cycle | None = None  # the oldest one that has not ended
        self._looked = 0  # so far the queue was searched
        self.is_in_cycle = False
        self.echo = echo  # counter of the last cycle that has ended

    @property
    def until(self) -> int:
        """Batches from this entry of the queue on must wait."""
        if self._asked is None:
            return self._looked
        return self._asked.after if self.is_in_cycle else self._asked.at

    def asks(self) -> bool:
        """Whether a cycle is asked for that may begin."""
        if not self._is_asked():
            return False
        # the counter was looked for first: an order that was given before it is seen here
        order = self._orders.place
        return order is None or (order.number != self._held and self.until < order.entry)

    def _is_asked(self) -> bool:
        while self._asked is None:
            end = self._queue.end
            found = self._queue.find_cycle(self._looked, end)
            self._looked = end if found is None else found.after
            if found is None:
                return False
            if found.counter != self.echo:
                self._asked = found
        return True

    def begin(self) -> None:
        """Begin the cycle that is asked for."""
        self.is_in_cycle = True

    def end(self) -> None:
        """The last tick of the cycle is at hand: its row has the new echo."""
        if self._asked is not None:
            self.echo = self._asked.counter
        order = self._orders.place
        self._held = order.number if order else NOBODY
        self.forget()

    def forget(self) -> None:
        """Ask for nothing, as when the cell is put back or has a fault: no echo comes."""
        self._asked = None
        self.is_in_cycle = False
