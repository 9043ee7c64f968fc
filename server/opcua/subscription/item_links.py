"""Links between the items of a subscription: which others an item brings along, or triggers.

OPC UA part 4, 5.12.1.6
"""

from twincell.server.opcua.shares import Holding, Shared

MOST_LINKS = 20_000  # of one subscription: one for each item that it may have; chosen


class ItemLinks:
    """All links of a subscription, to be found from both ends."""

    def __init__(self, holding: Holding) -> None:
        self._holding = holding
        self._triggered: dict[int, set[int]] = {}  # by the item that triggers them
        self._triggering: dict[int, set[int]] = {}  # the same links, by the triggered item
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def triggering(self) -> set[int]:
        """Items that bring others along."""
        return set(self._triggered)

    def triggered_by(self, items: set[int]) -> set[int]:
        """Items that these bring along."""
        return {n for number in items & self._triggered.keys() for n in self._triggered[number]}

    def add(self, triggering: int, triggered: int) -> bool:
        """Link two items; whether they are linked, as there was room for it."""
        if triggered in self._triggered.get(triggering, ()):
            return True
        if self._count >= MOST_LINKS or not self._holding.take(Shared.LINKS, 1):
            return False
        self._count += 1
        self._triggered.setdefault(triggering, set()).add(triggered)
        self._triggering.setdefault(triggered, set()).add(triggering)
        return True

    def remove(self, triggering: int, triggered: int) -> bool:
        """Link two items no more; whether they were linked."""
        if triggered not in self._triggered.get(triggering, ()):
            return False
        _take_out(self._triggered, triggering, triggered)
        _take_out(self._triggering, triggered, triggering)
        self._count -= 1
        self._holding.add(Shared.LINKS, -1)
        return True

    def forget(self, item: int) -> None:
        """An item is gone, with all of its links."""
        for other in list(self._triggered.get(item, ())):
            self.remove(item, other)
        for other in list(self._triggering.get(item, ())):
            self.remove(other, item)


def _take_out(links: dict[int, set[int]], key: int, item: int) -> None:
    links[key].discard(item)
    if not links[key]:
        del links[key]
