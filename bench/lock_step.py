"""Lock step from one client: how many Step calls a second, and how long a tool change takes.

The client is asyncua's, in this process; the cell is `twincell run --time lockstep`. The peer is an
asyncua server as it comes, whose method does nothing: both are called by the same client, in turns.
What remains of the time of a bare call is the loop's: waking up, the tick, and the answer.
"""

import asyncio
import logging
import time
from collections.abc import Iterator
from statistics import median

from asyncua import Client, ua

from bench.bare_server import NAMESPACE
from bench.result import Result
from bench.rounds import median_ratio
from bench.ua_running import running, running_cell
from twincell.server.opcua.space.namespaces import CELL

CELL_NAME = "tool_change_multi"
LOCK_STEP = ("--time", "lockstep")
CALLS, ROUNDS = 250, 12
STORY_S, CYCLE_TICKS, STEP_S = 25.0, 10, 0.001  # the tool change, in a controller's cycles of 10 ms


class Stepper:
    """A client that steps."""

    def __init__(self, client: Client, namespace: int) -> None:
        self._thing = client.get_node(ua.NodeId("Simulation", namespace))
        self._step = ua.NodeId("Simulation.Step", namespace)

    async def seconds(self, calls: int, ticks: int) -> float:
        """Time of some calls, one after the other."""
        argument = ua.Variant(ticks, ua.VariantType.UInt32)
        began = time.perf_counter()
        for _ in range(calls):
            await self._thing.call_method(self._step, argument)
        return time.perf_counter() - began


def lock_step() -> Iterator[Result]:
    """Calls a second, also against a bare method, and the tool change in cycles."""
    logging.getLogger("asyncua").setLevel(logging.ERROR)  # it warns of shorter session timeouts
    with running_cell(CELL_NAME, *LOCK_STEP) as cell, running(["bench.bare_server"]) as bare:
        own, peer = asyncio.run(_take_turns(cell.endpoint, bare.endpoint))
    rate = CALLS / median(own)
    yield Result("lock_step_calls_per_s", rate, "1/s")
    peer_name = f"bare asyncua method, {CALLS / median(peer):.0f}/s"
    yield Result("lock_step_vs_asyncua", rate, "1/s", peer_name, median_ratio(peer, own))
    with running_cell(CELL_NAME, *LOCK_STEP) as cell:
        yield Result("lock_step_tool_change_s", asyncio.run(_tool_change(cell.endpoint)), "s")


async def _take_turns(cell: str, bare: str) -> tuple[list[float], list[float]]:
    """Seconds of each round of both."""
    own: list[float] = []
    peer: list[float] = []
    async with Client(cell) as client, Client(bare) as bare_client:
        steppers = ((Stepper(client, CELL), own), (Stepper(bare_client, NAMESPACE), peer))
        for stepper, _ in steppers:
            await stepper.seconds(CALLS, 1)  # warms up
        for _ in range(ROUNDS):
            for stepper, times in steppers:
                times.append(await stepper.seconds(CALLS, 1))
    return own, peer


async def _tool_change(cell: str) -> float:
    """Seconds of the whole story; the cell file's timeline commands it."""
    calls = round(STORY_S / STEP_S / CYCLE_TICKS)
    async with Client(cell) as client:
        return await Stepper(client, CELL).seconds(calls, CYCLE_TICKS)


if __name__ == "__main__":
    for result in lock_step():
        print(result)
