"""One direction of a bridge, written into a real server."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

import numpy as np
from asyncua import ua

from bench.plc_server import PlcServer
from twincell.server.bridge.flow import Flow
from twincell.server.bridge.route import Route
from twincell.server.bridge.telling import Telling
from twincell.server.bridge.wire import Wire
from twincell.server.client.session import connected
from twincell.server.realtime.shared.bridge_board import BRIDGE, BridgeState
from twincell.sim.signals import Kind

Type = ua.VariantType
PATIENCE_S = 30.0


def feedback(node: str, signal: str, kind: Kind, type_: Type, bit: int | None = None) -> Route:
    wire = Wire(False, f"ns=2;s={node}", signal, kind, bit=bit)
    return Route(wire, ua.NodeId(signal, 1), ua.NodeId(node, 2), type_)


def change(route: Route, value: object) -> tuple[ua.NodeId, ua.DataValue]:
    return route.source, ua.DataValue(ua.Variant(value))


@asynccontextmanager
async def flowing(plc: PlcServer, *routes: Route) -> AsyncIterator[Flow]:
    """A flow that writes into the PLC."""
    telling = Telling(BridgeState("Plc1", np.zeros(1, BRIDGE), 0), lambda level, line: None)
    async with connected(plc.endpoint, "test") as session:
        flow = Flow(False, session, telling, lambda taken: None)
        flow.add(routes)
        writing = asyncio.create_task(flow.write_on())
        try:
            yield flow
        finally:
            writing.cancel()
            with suppress(asyncio.CancelledError):
                await writing


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not is_so():
            await asyncio.sleep(0.01)


async def test_a_refused_value_is_tried_again_also_beside_one_that_always_moves():
    held = feedback("Held", "Tool1.Constrained", Kind.BOOLEAN, Type.Boolean)
    force = feedback("Force", "Tool1.Force.Z", Kind.DOUBLE, Type.Double)
    variables = {"Held": ua.Variant(False, Type.Boolean), "Force": ua.Variant(0.0, Type.Double)}
    plc = PlcServer(variables)
    plc.read_only = {"Held"}
    with plc:
        async with flowing(plc, held, force) as flow:
            flow.take([change(held, True)])

            async def move() -> None:
                for k in range(1_000_000):
                    flow.take([change(force, float(k))])
                    await asyncio.sleep(0.02)

            moving = asyncio.create_task(move())
            await until(lambda: plc["Force"] > 5.0)
            plc.let_write("Held")
            await until(lambda: plc["Held"] is True)
            moving.cancel()


async def test_a_word_is_written_when_all_of_its_bits_are_known():
    low = feedback("Word", "Tool1.Constrained", Kind.BOOLEAN, Type.UInt16, bit=0)
    high = feedback("Word", "Tool2.Constrained", Kind.BOOLEAN, Type.UInt16, bit=15)
    with PlcServer({"Word": ua.Variant(0x8001, Type.UInt16)}) as plc:
        async with flowing(plc, low, high) as flow:
            flow.take([change(low, True)])
            await asyncio.sleep(0.3)  # a write takes some milliseconds
            assert plc["Word"] == 0x8001
            flow.take([change(high, False)])
            await until(lambda: plc["Word"] == 0x0001)
