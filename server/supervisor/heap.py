"""Give memory back that is not used any more.

glibc keeps large blocks for the next time once it has seen some freed, and a small object behind
them keeps them from the system for ever. A server that sends megabytes a second for an hour would
look as if it leaked. But if every block went back as soon as it is freed, the system would have to
clear each of its pages for the next one: at a million samples a second that costs as much again as
all else together. So what is free goes back every now and then.
"""

import asyncio
import ctypes

GIVE_BACK_S = 2.0  # between two times; chosen: it takes 0.2 ms, and 2 s of traffic are not much

_libc = ctypes.CDLL(None)


def give_back() -> None:
    """Let all pages go back to the system that hold nothing."""
    if hasattr(_libc, "malloc_trim"):  # glibc has it
        _libc.malloc_trim(0)


async def give_back_now_and_then() -> None:
    """Do so for ever."""
    while True:
        await asyncio.sleep(GIVE_BACK_S)
        give_back()
