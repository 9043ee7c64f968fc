"""How much memory a running cell needs, and how much this machine, or its container, has left."""

import os
from pathlib import Path

from twincell.server.realtime.shared.ring import row_bytes, rows_for

# Measured on x86-64, Python 3.11, as the sum of the proportional shares (Pss) of all processes
PROCESSES = 800_000_000  # of a cell with one body: supervisor, loop, OPC UA, recorder, web page
A_SIGNAL = 12_000  # its node, 300 objects with 21 000 signals beside one with 20

MEMINFO = Path("/proc/meminfo")
OWN_GROUP = Path("/proc/self/cgroup")
GROUPS = Path("/sys/fs/cgroup")  # version 2 of control groups: what limits a container


def signal_bytes(n_signal: int) -> int:
    """What the signals of a running cell need, about: their last rows, and their nodes."""
    return rows_for(n_signal) * row_bytes(n_signal) + n_signal * A_SIGNAL


def needed_bytes(n_signal: int) -> int:
    """What all processes of a running cell need, about."""
    return PROCESSES + signal_bytes(n_signal)


def free_bytes() -> int | None:
    """What is left for new processes here; None where the system does not say."""
    left = [_free_in_machine(), *map(_free_in_group, _own_groups())]
    return min((one for one in left if one is not None), default=None)


def gigabytes(n_byte: int) -> str:
    """An amount of memory to be read at a glance."""
    return f"{n_byte / 1e9:.1f} GB"


def _free_in_machine() -> int | None:
    try:
        lines = MEMINFO.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    found = [int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
    return found[0] * 1024 if found else None


def _own_groups() -> list[Path]:
    """Our control group and those around it; each may have a limit."""
    try:
        lines = OWN_GROUP.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    own = next((line.removeprefix("0::/") for line in lines if line.startswith("0::/")), None)
    if own is None:
        return []
    group = GROUPS / os.path.normpath(own)
    return [group, *(above for above in group.parents if GROUPS in (above, *above.parents))]


def _free_in_group(group: Path) -> int | None:
    """What is left of a group's limit; the system can take back what is only a copy of files."""
    try:
        limit = (group / "memory.max").read_text(encoding="ascii").strip()
        if limit == "max":
            return None
        used = int((group / "memory.current").read_text(encoding="ascii"))
        told = dict(
            line.split() for line in (group / "memory.stat").read_text("ascii").splitlines()
        )
        return int(limit) - used + int(told.get("inactive_file", 0))
    except (OSError, ValueError):
        return None
