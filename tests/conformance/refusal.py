"""How a request ends, as the name of a status."""

from collections.abc import Awaitable
from typing import Any

from asyncua import ua


async def refusal(asking: Awaitable[Any]) -> str:
    """Name of the status with which a whole request is refused; Good if it is not."""
    try:
        await asking
    except ua.UaStatusCodeError as error:
        return str(ua.StatusCode(error.code).name)
    return "Good"
