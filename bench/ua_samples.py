"""Every sample to its client: how many a second, at what cost, against asyncua as it comes.

Server, loop and clients are processes of their own; the cost is the processor time of the process
that answers clients, the kernel's work for it included.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.result import Result
from bench.ua_cells import CLOCK, doubles, many_tools
from bench.ua_listen import Heard, Job
from bench.ua_running import Running, running, running_cell
from bench.ua_stock import NAMESPACE, node_name
from twincell.server.opcua.space.namespaces import CELL

RATE = 1000  # samples/s of each variable
SECONDS = 20.0
STOCK_SECONDS = 10.0
PUBLISHING_MS = 50.0
DOUBLES_PER_TOOL = 50
MANY = 1000
CLIENTS, EACH = 10, 100


def one_client() -> Iterator[Result]:
    """A thousand variables at 1 kHz to one client; twice as many for information; the ratio."""
    ours = _ours(1, MANY)
    yield from _results("ua", ours)
    yield from _results(f"ua_{2 * MANY}", _ours(1, 2 * MANY))
    stock = _stock()
    own, peer = _per_cpu_s(ours), _per_cpu_s(stock)
    what = f"asyncua, write_attribute_value: {peer:.4g}/CPU s ({stock.samples_per_s:.4g}/s)"
    yield Result("ua_vs_asyncua", own, "samples/CPU s", what, own / peer)


def ten_clients() -> Iterator[Result]:
    """Ten clients with a hundred variables each, every one its own."""
    yield from _results("ua_ten_clients", _ours(CLIENTS, EACH))


@contextmanager
def served_tools(variables: int) -> Iterator[tuple[Running, list[str]]]:
    """A running cell with so many variables, and their names."""
    with TemporaryDirectory(prefix="twincell-bench-") as folder:
        file = Path(folder) / "tools.toml"
        file.write_text(many_tools(-(-variables // DOUBLES_PER_TOOL)), encoding="utf-8")
        with running_cell(file) as cell:
            yield cell, doubles(file, variables)


def shares(names: list[str], clients: int) -> list[list[str]]:
    """Deal variables out to clients; each gets the clock as well, as its first."""
    own = [name for name in names if name != CLOCK]
    each = len(names) // clients - 1
    return [[CLOCK, *own[k * each : (k + 1) * each]] for k in range(clients)]


def _ours(clients: int, each: int) -> Heard:
    with served_tools(clients * each) as (cell, names):
        dealt = shares(names, clients)
        job = Job(cell.endpoint, CELL, dealt, PUBLISHING_MS, SECONDS, cell.serving_pid)
        return job.run()


def _stock() -> Heard:
    with running(["bench.ua_stock", str(MANY)]) as server:
        names = [node_name(number) for number in range(MANY)]
        pid = server.serving_pid
        return Job(server.endpoint, NAMESPACE, [names], PUBLISHING_MS, STOCK_SECONDS, pid).run()


def _per_cpu_s(found: Heard) -> float:
    return found.count.samples / found.cpu_s


def _results(name: str, found: Heard) -> Iterator[Result]:
    yield Result(f"{name}_samples_per_s", found.samples_per_s, "samples/s")
    yield Result(f"{name}_wrong_samples", found.count.wrong, "samples", found.count.verdict)
    yield Result(f"{name}_cores", found.cores, "cores")
