"""Bytes allocated per tick: 0, or the bench stops."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.result import Result

ROOT = Path(__file__).parent.parent
ALLOCATORS = ("alloc", "nrt", "memalign", "mmap", "_znw", "_zna", "brk", "_new", "strdup")


class Allocates(Exception):
    """The tick can allocate memory."""


def memory() -> Iterator[Result]:
    """Ask a fresh process; see `bench.tick_memory` for what it looks at."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.tick_memory"],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found = json.loads(done.stdout)
    calls = [name for name in found["calls"] if any(word in name.lower() for word in ALLOCATORS)]
    if calls:
        raise Allocates(f"the tick's machine code can call {', '.join(calls)}")
    # a call from Python makes a few objects once per 1000 ticks: that is no byte of a tick
    yield Result("bytes_per_tick", (found["heap"] + found["python"]) // found["ticks"], "B/tick")
