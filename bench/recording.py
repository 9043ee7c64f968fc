"""What it costs to record every row of the tool change: processor time and disk.

The cell runs as users run it, for as long as its story takes: arms move, tools change hands. The
cost is the processor time of the recorder's process, the kernel's work for it included.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.result import Result
from bench.ua_processes import cpu_s
from bench.ua_running import NotReady, Running, running
from twincell.server.recording.recording import Recording

CELL = "tool_change_multi"
STORY_S = 25.0
RECORDER = "twincell record"  # as the system calls it


def recording() -> Iterator[Result]:
    """Record one run of the story."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.mcap"
        options = ["--port", "0", "--no-demo", "--no-web", "--lab", "--record", str(path)]
        with running(["twincell.server.cli", "run", CELL, *options]) as cell:
            recorder = _recorder(cell)
            began_s, used_s, size = time.monotonic(), cpu_s(recorder), path.stat().st_size
            time.sleep(STORY_S)
            elapsed_s = time.monotonic() - began_s
            share = (cpu_s(recorder) - used_s) / elapsed_s
            written = path.stat().st_size - size
        rows = sum(len(part.ticks) for part in Recording(path).rows())
        lost = _lost(path)
    yield Result("recording_core_share", share, "of a core")
    yield Result("recording_gb_per_hour", written / elapsed_s * 3600 / 1e9, "GB/h")
    yield Result("recording_rows", rows, "rows")
    yield Result("recording_lost_rows", lost, "rows")


def _recorder(cell: Running) -> int:
    for pid in cell.pids:
        if Path(f"/proc/{pid}/comm").read_text().strip() == RECORDER:
            return pid
    raise NotReady("there is no recorder")


def _lost(path: Path) -> int:
    """Rows that are missing between the first and the last."""
    following, lost = 0, 0
    for part in Recording(path).rows():
        lost += part.first - following
        following = part.first + len(part.ticks)
    return lost
