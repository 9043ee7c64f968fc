"""Whether the loop lives, and what that means for the values of its rows."""

import time

from asyncua import ua

from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.vitals import LoopState, Vitals

LONGEST_SILENCE_NS = 1_000_000_000  # chosen: a thousand ticks; the loop beats at least every tick


def is_down(vitals: Vitals) -> bool:
    """Whether the loop's process has ended or says nothing any more."""
    silence_ns = time.monotonic_ns() - vitals["beat_ns"]
    return vitals.state is LoopState.DOWN or silence_ns > LONGEST_SILENCE_NS


def value_status(link: Link) -> int:
    """Status code of the newest row's values, and of those that come next."""
    if is_down(link.vitals):
        return int(ua.StatusCodes.BadNoCommunication)
    if link.ring.written == 0:
        return int(ua.StatusCodes.BadWaitingForInitialData)
    if link.vitals.state is LoopState.FAULT:
        return int(ua.StatusCodes.UncertainLastUsableValue)
    return int(ua.StatusCodes.Good)
