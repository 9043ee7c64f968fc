"""Links between the items of a subscription: which others an item brings along, or triggers.

OPC UA part 4, 5.12.1.6
"""

from server.opcua.subscription.budget import Budget

MOST_LINKS = 20_000  # of one subscription: one for each item that it may have; chosen


class ItemLinks:
    """All links of a subscription, to be found from both ends."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
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
        if self._count >= MOST_LINKS or not self._budget.can_link:
            return False
        self._triggered.setdefault(triggering, set()).add(triggered)
        self._triggering.setdefault(triggered, set()).add(triggering)
        self._change_count(1)
        return True

    def remove(self, triggering: int, triggered: int) -> bool:
        """Link two items no more; whether they were linked."""
        if triggered not in self._triggered.get(triggering, ()):
            return False
        _take_out(self._triggered, triggering, triggered)
        _take_out(self._triggering, triggered, triggering)
        self._change_count(-1)
        return True

    def forget(self, item: int) -> None:
        """An item is gone, with all of its links."""
        for other in list(self._triggered.get(item, ())):
            self.remove(item, other)
        for other in list(self._triggering.get(item, ())):
            self.remove(other, item)

    def close(self) -> None:
        """The subscription is over: others may have its links."""
        self._change_count(-self._count)
        self._triggered.clear()
        self._triggering.clear()

    def _change_count(self, by: int) -> None:
        self._count += by
        self._budget.links += by


def _take_out(links: dict[int, set[int]], key: int, item: int) -> None:
    links[key].discard(item)
    if not links[key]:
        del links[key]
