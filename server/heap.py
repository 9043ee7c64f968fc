"""Give memory back that is not used any more.

glibc keeps large blocks for the next time once it has seen some freed, and a small object behind
them keeps them from the system for ever. A server that sends megabytes a second for an hour would
look as if it leaked.
"""

import ctypes

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # names of options in malloc.h
LARGE_BYTES = 131_072  # blocks that the system gives and takes one by one; glibc's first guess

_libc = ctypes.CDLL(None)


def keep_no_large_blocks() -> None:
    """Let every large block go back to the system as soon as it is freed."""
    if hasattr(_libc, "mallopt"):  # glibc has it
        _libc.mallopt(_MMAP_THRESHOLD, LARGE_BYTES)
        _libc.mallopt(_TRIM_THRESHOLD, LARGE_BYTES)


def give_back() -> None:
    """Let all pages go back to the system that hold nothing."""
    if hasattr(_libc, "malloc_trim"):
        _libc.malloc_trim(0)
