"""Say what memory a cell needs to run, and refuse one for which there is no room."""

import sys

from twincell.server.errors import Refusal
from twincell.server.realtime.shared.ring import rows_for
from twincell.server.supervisor.memory import free_bytes, gigabytes, needed_bytes, signal_bytes

REMEDY = (
    "end other programs, raise the container's memory limit, or divide the cell into smaller ones"
)


def tell_memory(n_signal: int, step_s: float) -> None:
    """Print what it takes to run a cell, and whether there is room for it here."""
    needed, kept_s = gigabytes(needed_bytes(n_signal)), rows_for(n_signal) * step_s
    print(f"memory: about {needed} while it runs, its last {kept_s:.3g} s included")
    if problem := _problem(n_signal):
        print(f"warning: 'twincell run' would refuse it here: {problem}", file=sys.stderr)
        print(f"  hint: {REMEDY}", file=sys.stderr)


def check_memory(cell: str, n_signal: int) -> None:
    """Refuse a cell for which there is no room: the system would end it in the middle of a run."""
    if problem := _problem(n_signal):
        raise Refusal(f"{cell}: {problem}", REMEDY)


def _problem(n_signal: int) -> str:
    """What is lacking for the signals alone, whose size is known best; nothing if it fits."""
    needed, free = signal_bytes(n_signal), free_bytes()
    if free is None or needed <= free:
        return ""
    return f"its {n_signal} signals need {gigabytes(needed)} of memory; {gigabytes(free)} are free"
