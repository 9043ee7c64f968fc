"""Requests with many operations: how many there may be, and how others are served in between."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any, TypeVar

from asyncua import ua
from asyncua.common.utils import ServiceError

SLICE_S = 0.003  # after which subscriptions publish, if they want to; chosen

Operation = TypeVar("Operation")


def check_count(operations: Sequence[Any] | None, most: int) -> None:
    """Refuse a request for nothing, or for more than is answered at a time."""
    if not operations:
        raise ServiceError(ua.StatusCodes.BadNothingToDo)
    if len(operations) > most:
        raise ServiceError(ua.StatusCodes.BadTooManyOperations)


async def in_portions(operations: Sequence[Operation]) -> AsyncIterator[Operation]:
    """One operation after the other; now and then everything else has its turn."""
    end_s = time.monotonic() + SLICE_S
    for operation in operations:
        yield operation
        if time.monotonic() > end_s:
            await asyncio.sleep(0)
            end_s = time.monotonic() + SLICE_S
