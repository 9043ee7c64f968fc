"""From the command to the first tick, in a fresh process: without and with compiled kernels.

A cell with robots also reads a URDF file and plans its moves.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from bench.result import Result

ROOT = Path(__file__).parent.parent
WARM_ROUNDS = 5
PLAIN, WITH_ROBOTS = "tool_change_multi_prescribed", "tool_change_multi"
FIRST = (WITH_ROBOTS, "first_cell", "tool_falls")  # robots, devices, contact


def start() -> Iterator[Result]:
    """The first start compiles into an empty cache; the later ones find it there."""
    for name in FIRST:
        with tempfile.TemporaryDirectory(prefix="twincell-bench-") as cache:
            cpu_before = _children_cpu_s()
            yield Result(f"cold_start_{name}_s", _seconds_to_first_tick(cache, name), "s")
            yield Result(f"cold_start_{name}_cpu_s", _children_cpu_s() - cpu_before, "s")
    with tempfile.TemporaryDirectory(prefix="twincell-bench-") as cache:
        for name, cell in (("warm_start", PLAIN), ("warm_start_robots", WITH_ROBOTS)):
            _seconds_to_first_tick(cache, cell)
            cpu_before = _children_cpu_s()
            warm = [_seconds_to_first_tick(cache, cell) for _ in range(WARM_ROUNDS)]
            yield Result(f"{name}_s", median(warm), "s")
            yield Result(f"{name}_cpu_s", (_children_cpu_s() - cpu_before) / WARM_ROUNDS, "s")


def _children_cpu_s() -> float:
    """Processor time of the processes so far: what a start costs when the machine is not busy."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _seconds_to_first_tick(cache: str, cell: str) -> float:
    environment = os.environ | {"TWINCELL_CACHE_DIR": cache}
    started = time.monotonic_ns()
    done = subprocess.run(
        [sys.executable, "-m", "bench.first_tick", cell],
        env=environment,
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return (int(done.stdout) - started) * 1e-9
