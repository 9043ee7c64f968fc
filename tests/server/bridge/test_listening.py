"""A subscription to a real server: what becomes of a message that we cannot take."""

import asyncio

import pytest
from asyncua import ua

from bench.plc_server import PlcServer
from twincell.server.bridge.listening import FASTEST, Changes, Listening
from twincell.server.client.session import connected

CLOSE = ua.NodeId("Close", 2)


async def test_what_a_message_leads_to_is_raised_and_not_swallowed():
    def stumble(_: Changes) -> None:
        raise OverflowError("no room")

    with PlcServer({"Close": ua.Variant(False, ua.VariantType.Boolean)}) as plc:
        async with connected(plc.endpoint, "test") as session:
            listening = Listening(stumble)
            await listening.begin(session, 5.0)
            await listening.add([CLOSE], FASTEST, 1)
            with pytest.raises(OverflowError, match="no room"):
                async with asyncio.timeout(20.0):
                    while True:
                        listening.check()
                        await asyncio.sleep(0.01)
