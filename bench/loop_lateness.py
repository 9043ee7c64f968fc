"""How late ticks begin while ten clients listen, against what the machine itself allows."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.loop_cyclictest import HOW_TO_GET
from bench.more_overruns import more_overruns
from bench.result import Result

ROOT = Path(__file__).parent.parent
SECONDS, PAIR_SECONDS, PAIRS = 30, 5, 20  # many short pairs: a stall of the machine meets few
FIFO = "SCHED_FIFO"


def lateness() -> Iterator[Result]:
    """Percentiles beside cyclictest's, and overruns with and without clients in turns."""
    found = _watched()
    rights = found["rights"]
    others = f"{found['rivals']} other real-time processes on the machine"
    yield Result("loop_fifo_granted", FIFO in rights, "yes = 1", f"{rights}; {others}")
    if FIFO in rights and "cyclictest" in found:
        yield from _against_cyclictest(found["ours"], found["cyclictest"])
    else:
        why = HOW_TO_GET if FIFO in rights else f"no figure without {FIFO}"
        yield Result("loop_lateness_not_measured", 1, "", why)

    alone, beside = zip(*found["overruns"], strict=True)
    each = f" of {PAIR_SECONDS * 1000} ticks"
    told = ("alone", "with ten clients")
    yield more_overruns("overruns_with_clients", alone, beside, each, told)


def _against_cyclictest(ours: dict[str, float], theirs: dict[str, float]) -> Iterator[Result]:
    names = {"p99": "loop_lateness_vs_cyclictest"}
    for rank in ("p50", "p99", "p99_9", "worst"):
        what = f"cyclictest: {theirs[rank]:.4g} us"
        name = names.get(rank, f"loop_lateness_{rank}")
        yield Result(name, ours[rank], "us", what, ours[rank] / max(theirs[rank], 1.0))


def _watched() -> Any:
    """Ask a fresh process, with no threads: it forks."""
    one_thread = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL")}
    done = subprocess.run(
        [sys.executable, "-m", "bench.loop_watch", *map(str, (SECONDS, PAIR_SECONDS, PAIRS))],
        env=os.environ | one_thread,
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return json.loads(done.stdout)
