"""Work that takes long is done beside the event loop, so that subscriptions publish meanwhile.

The work of asyncua's codec is plain Python: a thread has to let the loop's go on every now and
then, and does so after a switch interval.
"""

import asyncio
import sys
from collections.abc import Callable
from typing import Any

SHORT_RESULTS = 20  # encoded at once
SWITCH_S = 0.0005  # the loop waits so long for a thread, at each of a few system calls; chosen


def let_the_loop_go_first() -> None:
    """Let a thread keep the interpreter for no longer than the loop can wait."""
    sys.setswitchinterval(SWITCH_S)


async def encoded_apart(encode: Callable[[Any], bytes], response: Any) -> bytes:
    """The bytes of a response."""
    if _is_short(response):
        return encode(response)
    return await asyncio.to_thread(encode, response)


def _is_short(response: Any) -> bool:
    """Whether a response has few results, and these no long lists in them."""
    results = getattr(response, "Results", None)
    if results is None:
        results = getattr(getattr(response, "Parameters", None), "Results", None) or []
    return len(results) <= SHORT_RESULTS and not any(map(_is_long, results))


def _is_long(result: Any) -> bool:
    value = getattr(getattr(result, "Value", None), "Value", None)
    found = getattr(result, "References", None) or getattr(result, "Targets", None) or value
    return isinstance(found, list) and len(found) > SHORT_RESULTS
