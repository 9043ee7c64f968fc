"""The bridge's process: carry values until SIGTERM."""

import asyncio
import contextlib
import logging
import signal

from twincell.server.bridge.bridge import Crossing
from twincell.server.bridge.ends import Ends
from twincell.server.bridge.telling import Telling
from twincell.server.logging.rate_limit import SPARED
from twincell.server.realtime.shared.bridge_board import BridgeState

BEAT_S = 0.25  # between two signs of life

_log = logging.getLogger("twincell.bridge")


async def serve_bridge(ends: Ends, state: BridgeState) -> None:
    """Carry values until we are told to stop."""
    state.beat()
    beating = asyncio.create_task(_beat(state))
    crossing = asyncio.create_task(Crossing(ends, state, Telling(state, _say)).run())
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, crossing.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await crossing
    beating.cancel()
    state["connected"] = 0


def _say(level: int, line: str) -> None:
    _log.log(level, line, extra=SPARED)  # Telling has its own rules of how often


async def _beat(state: BridgeState) -> None:
    while True:
        state.beat()
        await asyncio.sleep(BEAT_S)
