"""Servers that do not monitor everything: what is missing is named, and the rest works."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

import numpy as np
from asyncua import ua

from bench.plc_server import PlcServer
from twincell.server.bridge import carrying
from twincell.server.bridge.carrying import Carrying
from twincell.server.bridge.telling import Telling
from twincell.server.bridge.wire import Wire
from twincell.server.client.session import connected
from twincell.server.realtime.shared.bridge_board import BRIDGE, BridgeState
from twincell.sim.signals import Kind

NAMES = ("Close", "Mute", "TooManyPages", "Lamp")
PATIENCE_S = 30.0


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not is_so():
            await asyncio.sleep(0.01)


async def test_wires_without_a_value_are_named_and_those_that_were_refused_are_tried_again(
    monkeypatch,
):
    monkeypatch.setattr(carrying, "FIRST_S", 0.5)
    monkeypatch.setattr(carrying, "AGAIN_S", 0.5)
    wires = [Wire(True, f"ns=2;s={name}", f"A.{name}", Kind.BOOLEAN) for name in NAMES[:3]]
    wires.append(Wire(False, "ns=2;s=Lamp", "A.IsOn", Kind.BOOLEAN))
    state, said = BridgeState("Plc1", np.zeros(1, BRIDGE), 0), []
    plc = PlcServer({name: ua.Variant(False, ua.VariantType.Boolean) for name in NAMES})
    plc.mute, plc.unmonitored = {"Mute"}, {"TooManyPages"}
    # a server without a cell stands on our side: it refuses to monitor A.IsOn
    with plc, PlcServer({}) as inside:
        async with (
            connected(plc.endpoint, "test") as peer,
            connected(inside.endpoint, "test") as own,
        ):
            carried = Carrying(
                peer,
                own,
                wires,
                state,
                Telling(state, lambda level, line: said.append((level, line))),
            )
            await carried.begin(5.0)
            is_up = asyncio.Event()
            work = asyncio.create_task(carried.carry(is_up.set))
            await until(is_up.is_set)
            for line in (
                "ns=2;s=Mute -> A.Mute: no value has come yet; see",
                "ns=2;s=TooManyPages -> A.TooManyPages: not monitored: BadNodeIdUnknown; see",
                "A.IsOn -> ns=2;s=Lamp: not monitored: BadNodeIdUnknown; see",
            ):
                assert any(level == logging.WARNING and line in one for level, one in said), said
            assert not any("A.Close: n" in one for _, one in said)
            plc.unmonitored = set()
            again = "bridge Plc1: ns=2;s=TooManyPages -> A.TooManyPages: works again"
            await until(lambda: (logging.INFO, again) in said)
            assert not work.done()
            work.cancel()
            with suppress(asyncio.CancelledError):
                await work
