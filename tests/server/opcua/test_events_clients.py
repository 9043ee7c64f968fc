"""Events as a client gets them, from Cell and from the Server object alike."""

import asyncio
from typing import Any

import pytest
from asyncua import Client, ua

from tests.server.opcua.asking import change, write
from tests.server.opcua.in_process import InProcess
from twincell.server.opcua.space.namespaces import type_id

pytestmark = pytest.mark.asyncio(loop_scope="session")


class Ears:
    """Keeps what a subscription hears."""

    def __init__(self) -> None:
        self.heard: asyncio.Queue[Any] = asyncio.Queue()

    def event_notification(self, event: Any) -> None:
        self.heard.put_nowait(event)

    async def next(self) -> Any:
        async with asyncio.timeout(20):
            return await self.heard.get()


async def listen(client: Client, notifier: ua.NodeId, type_name: str) -> Ears:
    ears = Ears()
    subscription = await client.create_subscription(10, ears)
    await subscription.subscribe_events(notifier, type_id(type_name))
    return ears


SERVER = ua.NodeId(ua.ObjectIds.Server)


@pytest.mark.parametrize("from_server", [False, True])
async def test_a_tool_change_reaches_a_client_with_its_exact_tick(
    cell: InProcess, client: Client, from_server: bool
) -> None:
    notifier = SERVER if from_server else cell.id("Cell")
    ears = await listen(client, notifier, "PartnerChangedEventType")
    # down to the tool, then close the flange
    await client.get_node(cell.id("Robot1")).call_method(
        cell.id("Robot1.MoveLinear"), [1.0, 0.0, 0.78], [1.0, 0.0, 0.0, 0.0], 0.5, 1.0
    )
    cell.tick(4000)
    await write(client, change("Robot1Flange.Closed", True))
    cell.tick()
    event = await ears.next()
    assert (event.Object, event.PreviousPartner, event.Partner) == (
        "Tool1",
        "Holder1",
        "Robot1Flange",
    )
    assert event.Tick == cell.newest_tick
    assert cell.newest("Tool1.Force.Z") == event.Force.Z
    assert event.SourceName == "Tool1"
    assert event.SourceNode == cell.id("Tool1")
    assert event.EventType == type_id("PartnerChangedEventType")
    assert event.Message.Text.startswith("Tool1 went from Holder1 to Robot1Flange")


async def test_a_client_hears_that_the_controller_has_gone(cell: InProcess, client: Client) -> None:
    ears = await listen(client, cell.id("Cell"), "ControllerLostEventType")
    plc = await cell.client("PLC")
    await write(plc, change("Robot1Flange.Closed", True))
    plc.disconnect_socket()  # without a word
    event = await ears.next()
    assert event.Controller == "session PLC Session1"
    assert event.Severity == 700


async def test_a_client_hears_of_overruns(cell: InProcess, client: Client) -> None:
    ears = await listen(client, cell.id("Cell"), "LoopOverrunEventType")
    cell.link.vitals["overruns"] += 3
    event = await ears.next()
    assert event.Overruns == 3
    cell.link.vitals["overruns"] = 0
