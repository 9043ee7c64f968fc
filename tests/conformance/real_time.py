"""A cell in this process whose ticks run at 1 kHz, or less on a busy machine; never more."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.server.opcua.in_process import InProcess

TICKS, SECONDS = 10, 0.01


@asynccontextmanager
async def real_time(cell: InProcess) -> AsyncIterator[None]:
    """Let ticks run while something goes on."""

    async def run() -> None:
        while True:
            cell.tick(TICKS)
            await asyncio.sleep(SECONDS)

    running = asyncio.create_task(run())
    try:
        yield
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
