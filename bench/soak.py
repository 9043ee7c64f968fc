"""A long run with clients that come and go: `python -m bench.soak [--minutes 30]`.

Does memory stay flat? In rounds: clients visit, then nobody does for longer than sessions live.
What a process has at the end of a rest belongs to nobody any more; the verdict compares the last
rest with that of the middle round, when all caches are filled. The picture is out/soak.png.
"""

import argparse
import math
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.soak_plot import draw
from bench.soak_visitors import Visitors
from bench.ua_client import SESSION_MS
from bench.ua_processes import own_mb
from bench.ua_running import Running, running_cell

CELL = "tool_change_multi"
PICTURE = Path("out") / "soak.png"
LOOK_S = 2.0
ROUNDS = 5
REST_S = SESSION_MS / 1e3 + 15.0  # longer than a session whose client has vanished; chosen
MOST_GROWTH_MB = 4.0  # of a process from the middle rest to the last one; chosen


@dataclass
class Memory:
    """Memory of one process over time."""

    name: str
    pid: int
    at_s: list[float] = field(default_factory=list)
    mb: list[float] = field(default_factory=list)
    rests: list[float] = field(default_factory=list)  # at the end of each rest

    def look(self, at_s: float) -> None:
        """Note how much it is now."""
        self.at_s.append(at_s)
        self.mb.append(own_mb(self.pid))

    @property
    def growth_mb(self) -> float:
        """From the middle rest to the last one."""
        return self.rests[-1] - self.rests[len(self.rests) // 2]


def main(minutes: float) -> int:
    """Soak, and say whether memory stayed flat."""
    visit_s = minutes * 60 / ROUNDS - REST_S
    if visit_s <= 0:
        sys.exit(f"at least {math.ceil(ROUNDS * REST_S / 60) + 1} minutes: rests take most of less")
    accounts = []
    with running_cell(CELL) as cell:
        processes, began = _processes(cell), time.monotonic()
        for number in range(1, ROUNDS + 1):
            with Visitors(cell.endpoint, CELL) as visitors:
                _watch(processes, began, visit_s)
            accounts.append(visitors.account)
            _watch(processes, began, REST_S)
            for process in processes:
                process.rests.append(process.mb[-1])
            mb = ", ".join(f"{process.name} {process.rests[-1]:.1f} MB" for process in processes)
            sys.stderr.write(f"round {number}: {accounts[-1]}; at rest: {mb}\n")
    draw(processes, f"{CELL}, {minutes:g} minutes, {ROUNDS} rounds of visits and rest", PICTURE)
    Console(width=100).print(_table(processes))
    grown = [process.name for process in processes if process.growth_mb > MOST_GROWTH_MB]
    verdict = f"{', '.join(grown)}: memory grows" if grown else "memory is flat"
    print(f"{verdict} (bound: {MOST_GROWTH_MB:g} MB from the middle rest to the last); {PICTURE}")
    return 1 if grown else 0


def _watch(processes: list[Memory], began: float, seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for process in processes:
            process.look(time.monotonic() - began)
        time.sleep(LOOK_S)


def _processes(cell: Running) -> list[Memory]:
    """The supervisor and its children, by the names that the system has for them."""
    return [Memory(Path(f"/proc/{pid}/comm").read_text().strip(), pid) for pid in cell.pids]


def _table(processes: list[Memory]) -> Table:
    table = Table(title="memory [MB]")
    rests = [f"rest {number}" for number in range(1, ROUNDS + 1)]
    for heading in ("process", "start", "most", *rests, "growth"):
        table.add_column(heading, justify="left" if heading == "process" else "right")
    for process in processes:
        figures = (process.mb[0], max(process.mb), *process.rests, process.growth_mb)
        table.add_row(process.name, *(f"{figure:.1f}" for figure in figures))
    return table


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--minutes", type=float, default=30.0)
    sys.exit(main(options.parse_args().minutes))
