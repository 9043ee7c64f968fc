"""Commands that are held at a value, whoever writes them.

Clients write them as ever, and are told Good; the cell gets the forced value. What was written
meanwhile is kept, and the cell gets it when the command is released. The cell file's timeline, a
reset, StopMove and the stop for a lost controller know nothing of it: what they set stands for some
ticks, until `look` sees it.
"""

from collections.abc import Mapping

from twincell.server.realtime.shared.link import Link


class ForcedCommands:
    """Stands between those who command and the cell."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._held: dict[int, float] = {}  # by command
        self._wanted: dict[int, float] = {}  # what they will be without it
        self._owed: dict[int, float] = {}  # what released ones have yet to be
        # what was written, perhaps not in the newest row yet, and how many rows there were then
        self._lately: dict[int, tuple[float, int]] = {}

    def hold(self, command: int, value: float) -> bool:
        """Let the cell have a value from its next tick on; False when too many commands wait."""
        self._forget_shown()
        newest = self._link.ring.newest()
        if newest is None or not self._link.commands.put([(command, value)]):
            return False
        if command not in self._held:
            now, _ = self._lately.get(command, (float(newest.values[0, command]), 0))
            self._wanted[command] = self._owed.pop(command, now)
        self._held[command] = value
        return True

    def release(self, command: int) -> None:
        """Let the cell have what was written last."""
        del self._held[command]
        self._owed[command] = self._wanted.pop(command)
        self._settle()

    def passed_on(self, batch: Mapping[int, float]) -> dict[int, float]:
        """What the cell gets of a batch that somebody writes."""
        return {one: value for one, value in batch.items() if one not in self._held}

    def note(self, batch: Mapping[int, float]) -> None:
        """Remember a batch that somebody has written, and was allowed to."""
        self._note_lately(batch)
        for command, value in batch.items():
            self._owed.pop(command, None)
            if command in self._held:
                self._wanted[command] = value

    def look(self) -> None:
        """Hold again what a reset or the timeline has changed."""
        self._settle()
        self._forget_shown()
        if self._link.commands.waiting or not self._held:
            return
        newest = self._link.ring.newest()
        if newest is not None:
            row = newest.values[0]
            self._link.commands.put(
                [(one, value) for one, value in self._held.items() if row[one] != value]
            )

    def _settle(self) -> None:
        """Let the cell have what released commands are, once there is room in the queue."""
        if self._owed and self._link.commands.put(list(self._owed.items())):
            self._note_lately(self._owed)
            self._owed.clear()

    def _forget_shown(self) -> None:
        """Forget what was written long enough ago for the newest row to show it."""
        if self._link.commands.waiting:
            return
        # the tick that latched it may have been under way: the row after that one shows it
        shown = self._link.ring.written - 1
        self._lately = {one: noted for one, noted in self._lately.items() if noted[1] >= shown}

    def _note_lately(self, batch: Mapping[int, float]) -> None:
        rows = self._link.ring.written
        self._lately.update({command: (value, rows) for command, value in batch.items()})
