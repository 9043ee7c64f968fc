"""The web process: NiceGUI on a socket that the supervisor made, until SIGTERM."""

import asyncio
import logging
import os
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import uvicorn
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from fastapi import FastAPI
from nicegui import core, ui

from twincell.server.config import Serving
from twincell.server.realtime.shared.link import Link
from twincell.server.security.own_certificate import OwnCertificate
from twincell.server.security.own_names import host_names
from twincell.server.supervisor.heap import give_back_now_and_then
from twincell.server.web.data.cell_view import CellView
from twincell.server.web.guard.connections import BoundedServer
from twincell.server.web.guard.origin_guard import OriginGuard
from twincell.server.web.guard.page_limit import PageLimit, answer_unknown_paths
from twincell.server.web.jobs import kept_up
from twincell.server.web.page.page import add_page
from twincell.server.web.routes import add_routes
from twincell.server.web.showing import Showing
from twincell.sim.cell import Cell

STOP_S = 0.3  # that open pages get to go; the supervisor waits two seconds
TIDY_S = 1.0
LONGEST_MESSAGE = 65_536  # bytes that a page sends at once over its WebSocket; chosen
# a browser that sleeps, or is busy drawing, gives no sign of life; its page waits for it; chosen
PING_S, PONG_S = 5.0, 12.0
KEPT_S = 30.0  # that a page without its browser is kept
PRIORITY = 5  # lower than the loop's and the OPC UA server's: nothing waits for a picture


def serve_pages(cell: Cell, link: Link, serving: Serving, showing: Showing) -> None:
    """Show the cell to browsers."""
    os.nice(PRIORITY)
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
    asyncio.run(_serve(CellView.of(cell, link, serving, showing)))


async def _serve(view: CellView) -> None:
    address = view.showing.address
    app = FastAPI(
        title="twincell", docs_url=None, redoc_url=None, openapi_url=None, lifespan=_work(view)
    )
    add_routes(app, view, address.is_encrypted)
    add_page(view)
    answer_unknown_paths()
    ui.run_with(
        app,
        title=f"{view.spec.name} – twincell",
        dark=None,
        language="en-US",
        tailwind=False,
        gzip_middleware_factory=None,  # on one machine it only costs time
        show_welcome_message=False,
        binding_refresh_interval=None,
        reconnect_timeout=KEPT_S,
    )
    config = uvicorn.Config(
        # in a container we do not know by which names others reach us; our certificate may
        OriginGuard(
            PageLimit(app, view),
            [*host_names(), address.host, *view.serving.security.own.facts.hosts],
        ),
        log_config=None,
        access_log=False,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=0,
        proxy_headers=False,
        ws_max_size=LONGEST_MESSAGE,
        server_header=False,
    )
    if address.is_encrypted:
        config.load()
        config.ssl = _encryption(view.serving.security.own)
    await BoundedServer(config).serve(sockets=[address.listener])


def _work(view: CellView) -> Any:
    """What goes on beside the requests."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        _answer_signs_of_life()
        async with kept_up(
            view.live.run(),
            view.watcher.run(),
            view.recording_list.run(),
            view.long_history.run(),
            _tidy(view),
            give_back_now_and_then(),
        ):
            yield
        with suppress(TimeoutError):
            async with asyncio.timeout(STOP_S):
                await view.visitors.close()

    return lifespan


def _answer_signs_of_life() -> None:
    """NiceGUI has started; from here on its sockets are asked and answered as we like it."""
    core.sio.eio.ping_interval, core.sio.eio.ping_timeout = PING_S, PONG_S

    async def alive(_: str) -> bool:
        return True

    core.sio.on("alive", alive)


async def _tidy(view: CellView) -> None:
    while True:
        await asyncio.sleep(TIDY_S)
        await view.visitors.tidy()


def _encryption(own: OwnCertificate) -> ssl.SSLContext:
    """Our certificate and key, as the library wants them: in a file, which only memory has."""
    key = own.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    handle = os.memfd_create("twincell", os.MFD_CLOEXEC)
    try:
        os.write(handle, own.certificate.public_bytes(Encoding.PEM) + key)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(f"/proc/self/fd/{handle}")
        return context
    finally:
        os.close(handle)
