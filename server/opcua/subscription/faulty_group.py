"""Monitored items on signals with faults: a group of their own, so that all others lose no time.

Its rows are looked at in pieces, in each of which the values are good or bad as a whole: an item
reports the samples before a bad piece, then once that it is bad, with its last good value, and goes
on with the samples after it. Rows that are delayed are looked at later, lost ones never. The same
holds for pieces in which a value is forced: their samples have a status of their own.
"""

from collections.abc import Iterator

import numpy as np

from twincell.server.opcua.command.force import ForcedRing, forces_among, status_in
from twincell.server.opcua.fault.protocol_fault import Kind, SignalFault
from twincell.server.opcua.fault.seen_row import SENSOR_FAILURE, arrived, seen_row
from twincell.server.opcua.space.layout import Layout
from twincell.server.opcua.subscription.notification import Encoded
from twincell.server.opcua.subscription.sample_choice import Bools, Items
from twincell.server.opcua.subscription.sample_encoding import GOOD, Times
from twincell.server.opcua.subscription.sample_losses import SampleLosses
from twincell.server.opcua.subscription.sampling import IS_BAD, Asked, Group, Moment
from twincell.server.realtime.shared.ring import Ints, Ring, Row


class FaultyGroup(Group):
    """Items that have the same faults, besides what the items of any group share."""

    def __init__(
        self,
        layout: Layout,
        times: Times,
        period: int,
        ring: Ring,
        faults: tuple[SignalFault, ...],
        losses: SampleLosses | None = None,
    ) -> None:
        self._forces = forces_among(faults)
        seen = ForcedRing(ring, self._forces) if self._forces else ring
        super().__init__(layout, times, period, seen, losses)
        self._faults = faults
        self._bad = [fault for fault in faults if fault.kind is Kind.BAD]

    def add(self, asked: Asked, moment: Moment) -> None:
        """Begin to sample, from what has arrived."""
        super().add(asked, self._now(moment))

    def take_by_parts(self, moment: Moment) -> Iterator[tuple[list[Encoded], set[int]]]:
        """All notifications that are due, piece by piece."""
        now = self._now(moment)
        in_pieces = (*self._bad, *self._forces)
        edges = {fault.first for fault in in_pieces} | {fault.end for fault in in_pieces}
        for edge in sorted(edge for edge in edges if edge is not None and edge <= now.end):
            if edge > self.first:
                good = status_in(edge - 1, self._forces)
                status = SENSOR_FAILURE if self._bad_in(edge - 1) else good
                piece = moment._replace(end=edge, status=status, of_samples=good)
                yield from super().take_by_parts(piece)
        yield from super().take_by_parts(now)

    def _now(self, moment: Moment) -> Moment:
        """The cell as it looks through the faults that act."""
        end, status = arrived(moment.end, self._faults), moment.status
        good = status_in(end - 1, self._forces)
        if any(fault.acts for fault in self._bad) and not status & IS_BAD:
            status = SENSOR_FAILURE
        elif status == GOOD:
            status = good
        return moment._replace(end=end, status=status, of_samples=good)

    def _bad_in(self, row: int) -> list[SignalFault]:
        return [fault for fault in self._bad if fault.covers(row)]

    def _silent(self, items: Items, moment: Moment) -> Bools:
        """An item that is further than this piece has said how it stands."""
        silent: Bools = super()._silent(items, moment) & (items["next"] <= moment.end)
        return silent

    def _lost(self, number: Ints) -> Bools | None:
        """Rows that a fault dropped, or that it made bad."""
        lost = np.zeros(len(number), dtype=bool)
        for fault in self._faults:
            lost |= fault.loses(number)
        return lost if lost.any() else None

    def _shown(self, moment: Moment) -> Row | None:
        """With a sensor failure, the last good row."""
        if moment.status == SENSOR_FAILURE:
            acting = [fault for fault in self._bad if fault.acts]
            return (acting or self._bad_in(moment.end - 1))[0].last
        if moment.status & IS_BAD or not moment.end:
            return None
        return seen_row(self._ring, moment.end, self._faults).row
