"""Whether a running cell is well: its loop ticks or rests on purpose, and clients can reach it."""

import time
from typing import NamedTuple

from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.vitals import LoopState

LOOP_SILENCE_S = 1.0  # as long as its values stay good for clients
SERVER_SILENCE_S = 5.0  # chosen: a long request may keep it for a while


class Health(NamedTuple):
    """How a cell is."""

    state: LoopState
    reason: str  # why it is not well; empty: it is

    @property
    def is_well(self) -> bool:
        return not self.reason

    def told(self) -> dict[str, str]:
        """It, to be written as JSON."""
        verdict = {"status": "ok" if self.is_well else "failing", "state": self.state.name.lower()}
        if self.reason:
            return {**verdict, "reason": self.reason}
        if self.state is LoopState.PAUSED:
            return {**verdict, "note": "paused on purpose: Simulation.Resume lets it go on"}
        return verdict


def health_of(link: Link) -> Health:
    """How a cell is now."""
    vitals = link.vitals
    return Health(vitals.state, _loop_trouble(link) or _server_trouble(link))


def _loop_trouble(link: Link) -> str:
    vitals = link.vitals
    if vitals.state is LoopState.DOWN:
        return "the real-time process is not up" if link.ring.written else "the cell is starting"
    silence_s = silent_s(vitals["beat_ns"])
    if silence_s > LOOP_SILENCE_S:
        return f"the real-time process has given no sign of life for {silence_s:.1f} s"
    if vitals.state is LoopState.FAULT:
        return f"the cell has stopped: {vitals.text('fault')}; Simulation.Reset begins anew"
    return ""


def _server_trouble(link: Link) -> str:
    if link.vitals["port"] == 0:
        return "the OPC UA process does not listen"
    silence_s = silent_s(link.vitals["server_beat_ns"])
    if silence_s > SERVER_SILENCE_S:
        return f"the OPC UA process has given no sign of life for {silence_s:.1f} s"
    return ""


def silent_s(beat_ns: int) -> float:
    """How long ago a sign of life was; before the first one: no time."""
    return max(0.0, (time.monotonic_ns() - beat_ns) / 1e9) if beat_ns else 0.0
