"""What each child process of a running cell does: tick, serve, record, measure, show, play, bridge.

What a process alone needs is imported when it runs: so it costs nobody else time or memory.
"""

import asyncio
import errno
import gc
import logging
import signal
import sys
from socket import socket
from typing import TYPE_CHECKING

from twincell.server.bridge.ends import Ends
from twincell.server.config import Serving
from twincell.server.opcua.wire.background import let_the_loop_go_first
from twincell.server.realtime.loop import serve_loop
from twincell.server.realtime.shared.bridge_board import BridgeState
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.time_mode import Timing
from twincell.server.supervisor.heap import give_back_now_and_then
from twincell.sim.cell import Cell

if TYPE_CHECKING:
    from twincell.server.opcua.server import CellServer
    from twincell.server.recording.recorder import Wanted
    from twincell.server.web.showing import Showing

PORT_IN_USE = 98  # exit code of the OPC UA process; the number of the system's own error


def tick(cell: Cell, link: Link, timing: Timing, timeline: bool, core: int | None) -> None:
    """The real-time process."""
    serve_loop(cell, link, timing, timeline, core)


def serve(cell: Cell, link: Link, serving: Serving) -> None:
    """The OPC UA process."""
    from twincell.server.opcua.server import CellServer

    logging.getLogger("asyncua").setLevel(logging.CRITICAL)  # what clients do wrong, we log
    asyncio.run(
        _serve(
            CellServer(
                cell.spec,
                cell.compiled,
                link,
                serving.security,
                serving.limits,
                serving.host,
                serving.port,
            )
        )
    )


def record(link: Link, wanted: "Wanted") -> None:
    """The recorder's process."""
    from twincell.server.recording.recorder import serve_recorder

    serve_recorder(link, wanted)


def measure(cell: Cell, link: Link, listening: socket) -> None:
    """The metrics process."""
    from twincell.server.metrics.serve import serve_metrics

    serve_metrics(cell, link, listening)


def play(cell: Cell, endpoint: str, password: str) -> None:
    """The demo's process."""
    from twincell.server.demo.play import play_demo

    sys.exit(asyncio.run(play_demo(cell.spec, cell.compiled, endpoint, password)))


def bridge(ends: Ends, state: BridgeState) -> None:
    """A bridge's process."""
    from twincell.server.bridge.serve import serve_bridge

    asyncio.run(serve_bridge(ends, state))


def show(cell: Cell, link: Link, serving: Serving, showing: "Showing") -> None:
    """The web page's process."""
    from twincell.server.web.serve import serve_pages

    serve_pages(cell, link, serving, showing)


async def _serve(server: "CellServer") -> None:
    """Serve until SIGTERM."""
    told_to_stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told_to_stop.set)
    let_the_loop_go_first()
    gc.disable()  # while half a million objects are made that all stay
    try:
        await server.start()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            sys.exit(PORT_IN_USE)
        raise
    # a collection that looked at all of them would hold up every client for half a second
    gc.collect()
    gc.freeze()
    gc.collect()  # else it waits with the next one for a quarter of what is frozen now
    gc.enable()
    # a server that is broken inside ends, and is started again
    failure = asyncio.create_task(server.failure())
    stopped = asyncio.create_task(told_to_stop.wait())
    tidying = asyncio.create_task(give_back_now_and_then())
    await asyncio.wait((failure, stopped), return_when=asyncio.FIRST_COMPLETED)
    if failure.done():
        failure.result()
    failure.cancel()
    tidying.cancel()
    await server.stop()
