"""From `twincell run` to the line that says that clients may connect, kernels compiled before."""

from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from bench.result import Result
from bench.ua_cells import many_tools, nodes
from bench.ua_processes import cpu_s
from bench.ua_running import running_cell
from twincell.sim.cell import Cell
from twincell.sim.spec import load_cell

ROUNDS = 3
SHIPPED = "tool_change_multi"
TOOLS = 62
LEAST_NODES = 10_000


def server_ready() -> Iterator[Result]:
    """Seconds until a shipped cell is ready, and one with ten thousand nodes."""
    yield from _results("server_ready", SHIPPED)
    with TemporaryDirectory(prefix="twincell-bench-") as folder:
        file = Path(folder) / "many.toml"
        file.write_text(many_tools(TOOLS), encoding="utf-8")
        count = len(nodes(Cell(load_cell(file)))[0])
        if count < LEAST_NODES:
            raise LookupError(f"{TOOLS} tools have {count} nodes, not {LEAST_NODES}")
        yield from _results(f"server_ready_{LEAST_NODES}", file)


def _results(name: str, cell: str | Path) -> Iterator[Result]:
    """Wall time, and the processor time of all processes: the same on a machine that is busy."""
    wall_s, used_s = [], []
    for _ in range(ROUNDS):
        with running_cell(cell) as server:
            wall_s.append(server.ready_s)
            used_s.append(sum(map(cpu_s, server.pids)))
    yield Result(f"{name}_s", median(wall_s), "s")
    yield Result(f"{name}_cpu_s", median(used_s), "s")
