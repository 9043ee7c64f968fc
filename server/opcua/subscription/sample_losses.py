"""Samples that clients asked for and did not get.

An item with a queue of one wants the newest value only: it loses nothing.
"""

from dataclasses import dataclass

import numpy as np

from twincell.server.opcua.subscription.sample_choice import Bools, Items
from twincell.server.realtime.shared.ring import Ints


@dataclass(slots=True)
class SampleLosses:
    """Since the server started."""

    dropped: int = 0  # the item's queue had no room for them
    overtaken: int = 0  # they left the ring before the client asked for them

    def count_dropped(self, items: Items, reported: Bools, kept: Bools) -> None:
        """Of the reported samples (n, m), some are kept."""
        self.dropped += int((reported & ~kept)[:, items["queue"] > 1].sum())

    def count_overtaken(self, items: Items, wanted: Ints, first: int, period: int) -> None:
        """Each item wants samples from its row on, but the rows before `first` are gone."""
        missed = np.maximum(first - wanted[items["queue"] > 1], 0)
        self.overtaken += int((-(-missed // period)).sum())
