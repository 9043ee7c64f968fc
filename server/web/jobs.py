"""What goes on beside the requests of browsers, for ever.

A page without one of its jobs would look alive and be wrong. So when a job ends, the process ends,
and is started again; browsers come back by themselves.
"""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

BROKEN = 1  # exit code

log = logging.getLogger("twincell.web")


@asynccontextmanager
async def kept_up(*jobs: Coroutine[Any, Any, object]) -> AsyncIterator[None]:
    """Do some jobs as long as the block lasts."""
    tasks = [asyncio.create_task(job) for job in jobs]
    for task in tasks:
        task.add_done_callback(end_with)
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()


def end_with(task: "asyncio.Task[object]") -> None:
    """End the process when a job has ended that nobody has ended."""
    if not task.cancelled():
        log.critical("a part of the web page ended", exc_info=task.exception())
        os._exit(BROKEN)  # at once: nothing here is worth saving
