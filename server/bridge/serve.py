"""The bridge's process: carry values until SIGTERM."""

import asyncio
import contextlib
import signal

from server.bridge.bridge import Crossing
from server.bridge.ends import Ends
from server.bridge.telling import Telling
from server.realtime.bridge_board import BridgeState


async def serve_bridge(ends: Ends, state: BridgeState) -> None:
    """Carry values until we are told to stop."""
    telling = Telling(state, lambda line: print(line, flush=True))
    crossing = asyncio.create_task(Crossing(ends, state, telling).run())
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, crossing.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await crossing
    state["connected"] = 0
