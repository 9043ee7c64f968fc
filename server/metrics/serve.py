"""The metrics process: looks at the rows now and then, and answers /metrics and /health."""

import asyncio
import json
import os
import socket

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

from twincell.server.metrics.cell_metrics import CellMetrics
from twincell.server.metrics.health import health_of
from twincell.server.metrics.http_server import PLAIN, Answer, Asked, HttpServer
from twincell.server.metrics.row_watch import LOOK_S, RowWatch
from twincell.server.realtime.shared.link import Link
from twincell.sim.cell import Cell

NICENESS = 10  # chosen: where cores are scarce, clients get ten times as much of them as we


def serve_metrics(cell: Cell, link: Link, listening: socket.socket) -> None:
    """Answer at a socket that listens, until this process is ended."""
    os.nice(NICENESS)
    asyncio.run(_serve(cell, link, listening))


async def _serve(cell: Cell, link: Link, listening: socket.socket) -> None:
    signals = cell.compiled.signals
    watch = RowWatch(link, signals)
    watch.look()
    registry = CollectorRegistry()
    registry.register(CellMetrics(link, watch, cell.spec.name, cell.step_s, signals.faults))

    def answer(asked: Asked) -> Answer:
        if asked.path == "/metrics":
            encode, kind = choose_encoder(asked.accept)
            return Answer(200, kind, encode(registry))
        if asked.path == "/health":
            health = health_of(link)
            body = json.dumps(health.told()) + "\n"
            return Answer(200 if health.is_well else 503, "application/json", body.encode())
        return Answer(404, PLAIN, b"there are /metrics and /health\n")

    async with asyncio.TaskGroup() as both:
        both.create_task(_look(watch))
        both.create_task(HttpServer(listening, answer).serve())


async def _look(watch: RowWatch) -> None:
    while True:
        watch.look()
        await asyncio.sleep(LOOK_S)
