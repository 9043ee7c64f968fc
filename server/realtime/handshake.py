"""The controller moves the cell: each new value of its cycle counter is one cycle of ticks.

    controller   writes commands and counter 8 in one request
    cell         latches them, runs the ticks of one cycle, echoes 8 in the last row
    controller   sees echo 8, reads the feedback of that row, thinks, writes commands and counter 9

The counter travels in the queue with the commands of its request. What was written before it or
with it counts from the first tick of its cycle, and what was written after it waits until the
cycle is over: so it does not matter how fast anybody is. The same value again asks for nothing:
a controller that did not hear of its success may write it once more.
"""

from server.realtime.command_queue import CommandQueue, Cycle


class Handshake:
    """Which cycle the controller asks for, and which one it was given last."""

    def __init__(self, queue: CommandQueue, echo: int) -> None:
        self._queue = queue
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
        """Whether a cycle is asked for."""
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
        self.forget()

    def forget(self) -> None:
        """Ask for nothing, as when the cell is put back or has a fault: no echo comes."""
        self._asked = None
        self.is_in_cycle = False
