"""Commands that are held at a value, whoever writes them.

Clients write them as ever, and are told Good; the cell gets the forced value. What was written
meanwhile is kept, and the cell gets it when the command is released. The cell file's timeline and a
reset know nothing of it: what they set stands for some ticks, until `look` sees it.
"""

from collections.abc import Mapping

from server.realtime.link import Link


class ForcedCommands:
    """Stands between those who command and the cell."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._held: dict[int, float] = {}  # by command
        self._wanted: dict[int, float] = {}  # what they will be without it
        self._owed: dict[int, float] = {}  # what released ones have yet to be
        self._lately: dict[int, float] = {}  # written, perhaps not in the newest row yet

    def hold(self, command: int, value: float) -> bool:
        """Let the cell have a value from its next tick on; False when too many commands wait."""
        newest = self._link.ring.newest()
        if newest is None or not self._link.commands.put([(command, value)]):
            return False
        if command not in self._held:
            now = self._lately.get(command, float(newest.values[0, command]))
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
        self._lately.update(batch)
        for command, value in batch.items():
            self._owed.pop(command, None)
            if command in self._held:
                self._wanted[command] = value

    def look(self) -> None:
        """Hold again what a reset or the timeline has changed."""
        self._settle()
        if self._link.commands.waiting:
            return
        self._lately.clear()
        if not self._held:
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
            self._owed.clear()
