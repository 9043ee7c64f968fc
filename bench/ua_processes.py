"""What the system knows of other processes: their children, processor time and memory."""

import os
import re
from pathlib import Path

from twincell.server.supervisor.essential import LoopPost

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    return [int(c) for c in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def other_cores(supervisor_pid: int) -> set[int]:
    """The cores that a running cell's loop is not pinned to; all, if it is not pinned."""
    every = set(range(os.cpu_count() or 1))
    for pid in children(supervisor_pid):
        if Path(f"/proc/{pid}/comm").read_text().strip() == LoopPost.short_name:
            return every - os.sched_getaffinity(pid) or every
    return every


def cpu_s(pid: int) -> float:
    """Processor time of a process so far, in the kernel too."""
    # what stands before the last bracket is the program's name, which may hold anything
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


def own_mb(pid: int) -> float:
    """Memory of a process itself: its share of what it has in common with its parent by fork.

    The ring, which is shared memory, does not count: its pages belong now to one, now to another.
    """
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    found = re.search(r"^Pss_Anon: +(\d+) kB", text, re.MULTILINE)
    if found is None:
        raise LookupError("this system does not tell the memory of a process (Linux 5.4 does)")
    return int(found[1]) / 1024


def real_time_processes() -> int:
    """How many run under SCHED_FIFO, those of the kernel not counted: they have no command."""
    count = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fifo = os.sched_getscheduler(int(folder.name)) == os.SCHED_FIFO
            count += fifo and bool((folder / "cmdline").read_bytes())
        except (FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            continue
    return count


def listens_at(pid: int, port: int) -> bool:
    """Whether a process waits for connections at a port of 127.0.0.1."""
    lines = (line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:])
    place = f"0100007F:{port:04X}"
    sockets = {f"socket:[{f[9]}]" for f in lines if f[1] == place and f[3] == "0A"}
    held = (os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir())
    return not sockets.isdisjoint(held)
